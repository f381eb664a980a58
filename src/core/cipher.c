#include "core/cipher.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

#include "core/once.h"

#define CIPHERS_MAX 128

/* Entries are added under the table's lock and never change, so reading by id needs no lock. */
static _Atomic(const ol_cipher *) ciphers[CIPHERS_MAX];

static bool mode_find(const EVP_CIPHER *cipher, ol_cipher_mode *mode) {
  static const struct {
    const char *name;
    ol_cipher_mode mode;
  } named[] = {{"ChaCha20", OL_MODE_CHACHA20}, {"ChaCha20-Poly1305", OL_MODE_POLY1305}};
  for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
    if (!EVP_CIPHER_is_a(cipher, named[i].name)) continue;
    *mode = named[i].mode;
    return true;
  }
  int of = EVP_CIPHER_get_mode(cipher);
  *mode = of == EVP_CIPH_GCM_MODE ? OL_MODE_GCM : OL_MODE_CTR;
  return of == EVP_CIPH_GCM_MODE || of == EVP_CIPH_CTR_MODE;
}

static const ol_cipher *find_locked(EVP_CIPHER *found, ol_cipher_mode mode) {
  /* SP 800-38D §5.2.1.1: 2^39 - 256 bits; RFC 8439 §2.8: 2^32 - 1 blocks. */
  static const uint64_t data_max[] = {[OL_MODE_CTR] = UINT64_MAX,
                                      [OL_MODE_GCM] = ((uint64_t)1 << 36) - 32,
                                      [OL_MODE_CHACHA20] = UINT64_MAX,
                                      [OL_MODE_POLY1305] = ((uint64_t)1 << 38) - 64};
  uint32_t id = 0;
  for (const ol_cipher *known; id < CIPHERS_MAX && (known = ciphers[id]) != NULL; id++) {
    if (EVP_CIPHER_is_a(known->cipher, EVP_CIPHER_get0_name(found))) return known;
  }
  ol_cipher *cipher = id == CIPHERS_MAX ? NULL : calloc(1, sizeof(*cipher));
  if (cipher == NULL) return NULL;
  if (!EVP_CIPHER_up_ref(found)) {
    free(cipher);
    return NULL;
  }
  *cipher = (ol_cipher){.id = id,
                        .cipher = found,
                        .mode = mode,
                        .key_size = (uint32_t)EVP_CIPHER_get_key_length(found),
                        .iv_size = (uint32_t)EVP_CIPHER_get_iv_length(found),
                        .aead = mode == OL_MODE_GCM || mode == OL_MODE_POLY1305,
                        .data_max = data_max[mode]};
  ciphers[id] = cipher;
  return cipher;
}

const ol_cipher *ol_cipher_find(const char *name) {
  const ol_cipher *cipher = NULL;
  ol_cipher_mode mode;
  EVP_CIPHER *found = EVP_CIPHER_fetch(NULL, name, NULL);
  CRYPTO_RWLOCK *lock = ol_table_lock();
  if (found == NULL || lock == NULL || !mode_find(found, &mode)) goto done;
  if (!CRYPTO_THREAD_write_lock(lock)) goto done;
  cipher = find_locked(found, mode);
  CRYPTO_THREAD_unlock(lock);
done:
  EVP_CIPHER_free(found);
  ERR_clear_error();
  return cipher;
}

const ol_cipher *ol_cipher_at(uint32_t id) {
  return id < CIPHERS_MAX ? ciphers[id] : NULL;
}

bool ol_cipher_tag_size_valid(const ol_cipher *cipher, size_t size) {
  if (cipher->mode == OL_MODE_GCM) return size == 4 || size == 8 || (size >= 12 && size <= 16);
  return cipher->mode == OL_MODE_POLY1305 && size >= 1 && size <= 16;
}

/* The tag as a parameter; EVP_CIPHER_CTX_ctrl does the same, by way of a search through its names.
 */
static bool tag_get(EVP_CIPHER_CTX *context, ol_bytes tag) {
  OSSL_PARAM params[2] = {
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag.data, tag.size),
      OSSL_PARAM_construct_end()};
  return EVP_CIPHER_CTX_get_params(context, params) > 0;
}

static bool tag_set(EVP_CIPHER_CTX *context, ol_bytes tag) {
  OSSL_PARAM params[2] = {
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag.data, tag.size),
      OSSL_PARAM_construct_end()};
  return EVP_CIPHER_CTX_set_params(context, params) > 0;
}

ol_status ol_cipher_begin(const ol_cipher_job *job, EVP_CIPHER_CTX *context, ol_run *run) {
  int done;
  if (!EVP_CipherInit_ex2(context, job->cipher->cipher, job->key.data, job->iv.data,
                          job->encrypting, NULL)) {
    return ol_fail_openssl(run->failure);
  }
  for (size_t at = 0; at < job->aad.size;) {
    size_t size = job->aad.size - at < OL_CHUNK ? job->aad.size - at : OL_CHUNK;
    if (!EVP_CipherUpdate(context, NULL, &done, job->aad.data + at, (int)size)) {
      return ol_fail_openssl(run->failure);
    }
    at += size;
  }
  return OL_OK;
}

ol_status ol_cipher_update(const ol_cipher_job *job, EVP_CIPHER_CTX *context, size_t *written,
                           ol_run *run) {
  int done;
  size_t most = job->sum == NULL ? OL_CHUNK : OL_CIPHER_SUM_BLOCK;
  while (*written < job->size) {
    if (ol_run_cancelled(run)) return ol_fail(run->failure, OL_CANCELLED, "%s", "");
    size_t size = job->size - *written < most ? job->size - *written : most;
    uint8_t *output = job->output + *written;
    if (!EVP_CipherUpdate(context, output, &done, job->input + *written, (int)size)) {
      return ol_fail_openssl(run->failure);
    }
    *written += size;
    if (job->sum != NULL) ol_crc_sum_add(job->sum, output, size);
  }
  return OL_OK;
}

ol_status ol_cipher_finish(const ol_cipher_job *job, EVP_CIPHER_CTX *context, ol_run *run) {
  uint8_t none[EVP_MAX_BLOCK_LENGTH];
  int done;
  if (!job->encrypting && job->cipher->aead && !tag_set(context, job->tag)) {
    return ol_fail_openssl(run->failure);
  }
  if (!EVP_CipherFinal_ex(context, none, &done)) {
    if (job->encrypting || !job->cipher->aead) return ol_fail_openssl(run->failure);
    ERR_clear_error();
    return ol_fail(run->failure, OL_AUTHENTICATION, "%s", "");
  }
  if (job->encrypting && job->cipher->aead && !tag_get(context, job->tag)) {
    return ol_fail_openssl(run->failure);
  }
  return OL_OK;
}

ol_status ol_cipher_run(const ol_cipher_job *job, ol_run *run) {
  size_t written = 0;
  if (run->contexts->cipher == NULL) run->contexts->cipher = EVP_CIPHER_CTX_new();
  EVP_CIPHER_CTX *context = run->contexts->cipher;
  if (context == NULL) return ol_fail(run->failure, OL_OUT_OF_MEMORY, "%s", "");
  ol_status status = ol_cipher_begin(job, context, run);
  if (status == OL_OK) status = ol_cipher_update(job, context, &written, run);
  if (status == OL_OK) status = ol_cipher_finish(job, context, run);
  if (status != OL_OK && !job->encrypting && written > 0) OPENSSL_cleanse(job->output, written);
  /* Wipes the key schedule, and all else; cheaper than taking an all-zero key. */
  EVP_CIPHER_CTX_reset(context);
  return status;
}

#include "core/digest.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

#include "core/once.h"

#define DIGESTS_MAX 128

/* Entries are added under the table's lock and never change, so reading by id needs no lock. */
static _Atomic(const ol_digest *) digests[DIGESTS_MAX];

/* SHAKE's usual lengths (FIPS 202 §6.2 leaves them open; OpenSSL before 3.4 had these). */
static uint32_t usual_size(const EVP_MD *md) {
  if (EVP_MD_is_a(md, "SHAKE128")) return 16;
  if (EVP_MD_is_a(md, "SHAKE256")) return 32;
  int size = EVP_MD_get_size(md);
  return size > 0 ? (uint32_t)size : 0;
}

static ol_digest *digest_new(EVP_MD *md) {
  ol_digest *digest = calloc(1, sizeof(*digest));
  if (digest == NULL) return NULL;
  digest->md = md;
  digest->size = usual_size(md);
  digest->block_size = (uint32_t)EVP_MD_get_block_size(md);
  digest->extendable = (EVP_MD_get_flags(md) & EVP_MD_FLAG_XOF) != 0;
  digest->keyed = !digest->extendable && digest->size > 0 && digest->size <= OL_DIGEST_MAX &&
                  digest->block_size >= digest->size && digest->block_size <= OL_BLOCK_MAX;
  return digest;
}

static const ol_digest *find_locked(EVP_MD *md) {
  uint32_t id = 0;
  for (const ol_digest *known; id < DIGESTS_MAX && (known = digests[id]) != NULL; id++) {
    if (EVP_MD_is_a(known->md, EVP_MD_get0_name(md))) return known;
  }
  if (id == DIGESTS_MAX || !EVP_MD_up_ref(md)) return NULL;
  ol_digest *digest = digest_new(md);
  if (digest == NULL) {
    EVP_MD_free(md);
    return NULL;
  }
  digest->id = id;
  digests[id] = digest;
  return digest;
}

const ol_digest *ol_digest_find(const char *name) {
  const ol_digest *digest = NULL;
  EVP_MD *md = EVP_MD_fetch(NULL, name, NULL);
  CRYPTO_RWLOCK *lock = ol_table_lock();
  if (md == NULL || lock == NULL || EVP_MD_is_a(md, "NULL")) goto done;
  if (!CRYPTO_THREAD_write_lock(lock)) goto done;
  digest = find_locked(md);
  CRYPTO_THREAD_unlock(lock);
done:
  EVP_MD_free(md);
  ERR_clear_error();
  return digest;
}

const ol_digest *ol_digest_at(uint32_t id) {
  return id < DIGESTS_MAX ? digests[id] : NULL;
}

static EVP_MD_CTX *digest_context(const ol_digest *digest, ol_contexts *contexts) {
  if (digest->id >= OL_CONTEXTS_KEPT) return EVP_MD_CTX_new();
  EVP_MD_CTX **kept = &contexts->digest[digest->id];
  if (*kept == NULL) *kept = EVP_MD_CTX_new();
  return *kept;
}

ol_status ol_digest_update(EVP_MD_CTX *context, ol_bytes data, ol_run *run) {
  for (size_t at = 0; at < data.size;) {
    if (ol_run_cancelled(run)) return ol_fail(run->failure, OL_CANCELLED, "%s", "");
    size_t size = data.size - at < OL_CHUNK ? data.size - at : OL_CHUNK;
    if (!EVP_DigestUpdate(context, data.data + at, size)) return ol_fail_openssl(run->failure);
    at += size;
  }
  return OL_OK;
}

ol_status ol_digest_finish(const ol_digest *digest, EVP_MD_CTX *context, uint8_t *output,
                           size_t size, ol_run *run) {
  if (size == 0) return OL_OK;
  int ok = digest->extendable ? EVP_DigestFinalXOF(context, output, size)
                              : EVP_DigestFinal_ex(context, output, NULL);
  return ok ? OL_OK : ol_fail_openssl(run->failure);
}

/* A context in use for one job. */
static EVP_MD_CTX *digest_begin(const ol_digest *digest, ol_run *run) {
  EVP_MD_CTX *context = digest_context(digest, run->contexts);
  if (context == NULL) ol_fail(run->failure, OL_OUT_OF_MEMORY, "%s", "");
  return context;
}

/* After a failure the state still holds what was hashed so far: it is wiped. */
static void digest_end(const ol_digest *digest, EVP_MD_CTX *context, ol_status status) {
  if (digest->id >= OL_CONTEXTS_KEPT) {
    EVP_MD_CTX_free(context);
  } else if (status != OL_OK) {
    EVP_MD_CTX_reset(context);
  }
}

ol_status ol_digest_run(const ol_digest *digest, ol_bytes data, uint8_t *output, size_t size,
                        ol_run *run) {
  EVP_MD_CTX *context = digest_begin(digest, run);
  if (context == NULL) return run->failure->status;
  ol_status status = OL_OK;
  if (!EVP_DigestInit_ex2(context, digest->md, NULL)) status = ol_fail_openssl(run->failure);
  if (status == OL_OK) status = ol_digest_update(context, data, run);
  if (status == OL_OK) status = ol_digest_finish(digest, context, output, size, run);
  digest_end(digest, context, status);
  return status;
}

/* Digests block ‖ data. */
static ol_status hmac_pass(const ol_digest *digest, EVP_MD_CTX *context, const uint8_t *block,
                           ol_bytes data, uint8_t *output, ol_run *run) {
  if (!EVP_DigestInit_ex2(context, digest->md, NULL) ||
      !EVP_DigestUpdate(context, block, digest->block_size)) {
    return ol_fail_openssl(run->failure);
  }
  ol_status status = ol_digest_update(context, data, run);
  if (status != OL_OK) return status;
  return EVP_DigestFinal_ex(context, output, NULL) ? OL_OK : ol_fail_openssl(run->failure);
}

ol_status ol_hmac_block(const ol_digest *digest, ol_bytes key, uint8_t *block, ol_run *run) {
  memset(block, 0, OL_BLOCK_MAX);
  if (key.size > digest->block_size) return ol_digest_run(digest, key, block, digest->size, run);
  if (key.size > 0) memcpy(block, key.data, key.size);
  return OL_OK;
}

ol_status ol_hmac_run(const ol_digest *digest, ol_bytes key, ol_bytes data, uint8_t *output,
                      ol_run *run) {
  uint8_t block[OL_BLOCK_MAX], inner[OL_DIGEST_MAX];
  EVP_MD_CTX *context = digest_begin(digest, run);
  if (context == NULL) return run->failure->status;
  ol_status status = ol_hmac_block(digest, key, block, run);
  if (status != OL_OK) goto done;
  ol_hmac_mask(digest, block, OL_HMAC_INNER);
  status = hmac_pass(digest, context, block, data, inner, run);
  if (status != OL_OK) goto done;
  ol_hmac_mask(digest, block, OL_HMAC_INNER ^ OL_HMAC_OUTER);
  status = hmac_pass(digest, context, block, (ol_bytes){inner, digest->size}, output, run);
done:
  OPENSSL_cleanse(block, sizeof(block));
  OPENSSL_cleanse(inner, sizeof(inner));
  digest_end(digest, context, status);
  return status;
}

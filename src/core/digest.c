#include "core/digest.h"

#include <openssl/core_names.h>
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
  digest->hmac = digest->extendable ? NULL : EVP_MAC_fetch(NULL, "HMAC", NULL);
  const char *name = EVP_MD_get0_name(md);
  if (name != NULL) strncpy(digest->name, name, sizeof(digest->name) - 1);
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

static ol_status digest_update(EVP_MD_CTX *context, ol_bytes data, ol_run *run) {
  for (size_t at = 0; at < data.size;) {
    if (ol_run_cancelled(run)) return ol_fail(run->failure, OL_CANCELLED, "%s", "");
    size_t size = data.size - at < OL_CHUNK ? data.size - at : OL_CHUNK;
    if (!EVP_DigestUpdate(context, data.data + at, size)) return ol_fail_openssl(run->failure);
    at += size;
  }
  return OL_OK;
}

ol_status ol_digest_run(const ol_digest *digest, ol_bytes data, uint8_t *output, size_t size,
                        ol_run *run) {
  ol_status status = OL_OK;
  EVP_MD_CTX *context = digest_context(digest, run->contexts);
  if (context == NULL) return ol_fail(run->failure, OL_OUT_OF_MEMORY, "%s", "");
  if (!EVP_DigestInit_ex2(context, digest->md, NULL)) {
    status = ol_fail_openssl(run->failure);
    goto done;
  }
  status = digest_update(context, data, run);
  if (status != OL_OK || size == 0) goto done;
  int ok = digest->extendable ? EVP_DigestFinalXOF(context, output, size)
                              : EVP_DigestFinal_ex(context, output, NULL);
  if (!ok) status = ol_fail_openssl(run->failure);
done:
  if (digest->id >= OL_CONTEXTS_KEPT) EVP_MD_CTX_free(context);
  return status;
}

/* A kept context is already bound to its digest and only takes a new key. */
static ol_status hmac_context(const ol_digest *digest, ol_bytes key, EVP_MAC_CTX **context,
                              ol_run *run) {
  static const uint8_t empty[1] = {0};
  EVP_MAC_CTX **kept = digest->id < OL_CONTEXTS_KEPT ? &run->contexts->hmac[digest->id] : NULL;
  OSSL_PARAM bind[2] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest->name, 0),
      OSSL_PARAM_construct_end()};
  bool fresh = kept == NULL || *kept == NULL;
  *context = fresh ? EVP_MAC_CTX_new(digest->hmac) : *kept;
  if (*context == NULL) return ol_fail(run->failure, OL_OUT_OF_MEMORY, "%s", "");
  if (kept != NULL) *kept = *context;
  /* A NULL key means "the previous one" to OpenSSL; an empty key must not. */
  const uint8_t *bytes = key.size == 0 ? empty : key.data;
  if (!EVP_MAC_init(*context, bytes, key.size, fresh ? bind : NULL)) {
    return ol_fail_openssl(run->failure);
  }
  return OL_OK;
}

static void hmac_wipe(const ol_digest *digest, EVP_MAC_CTX *context, ol_run *run, bool keep) {
  static const uint8_t zero[32] = {0};
  if (keep && digest->id < OL_CONTEXTS_KEPT && EVP_MAC_init(context, zero, sizeof(zero), NULL)) {
    return;
  }
  if (digest->id < OL_CONTEXTS_KEPT) run->contexts->hmac[digest->id] = NULL;
  EVP_MAC_CTX_free(context);
}

ol_status ol_hmac_run(const ol_digest *digest, ol_bytes key, ol_bytes data, uint8_t *output,
                      ol_run *run) {
  EVP_MAC_CTX *context = NULL;
  ol_status status = hmac_context(digest, key, &context, run);
  if (status != OL_OK) goto done;
  for (size_t at = 0; at < data.size;) {
    if (ol_run_cancelled(run)) {
      status = ol_fail(run->failure, OL_CANCELLED, "%s", "");
      goto done;
    }
    size_t size = data.size - at < OL_CHUNK ? data.size - at : OL_CHUNK;
    if (!EVP_MAC_update(context, data.data + at, size)) {
      status = ol_fail_openssl(run->failure);
      goto done;
    }
    at += size;
  }
  size_t written = 0;
  if (!EVP_MAC_final(context, output, &written, digest->size)) {
    status = ol_fail_openssl(run->failure);
  }
done:
  if (context != NULL) hmac_wipe(digest, context, run, status == OL_OK || status == OL_CANCELLED);
  return status;
}

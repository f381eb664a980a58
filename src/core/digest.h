/* Message digests and HMAC over OpenSSL's EVP interface (FIPS 180-4, FIPS 202, RFC 7693, RFC 2104).
 */
#ifndef OL_CORE_DIGEST_H
#define OL_CORE_DIGEST_H

#include <openssl/evp.h>

#include "core/contexts.h"

/* The longest fixed digest and the longest block of a keyed one (SHA3-224's), in bytes. */
#define OL_DIGEST_MAX EVP_MAX_MD_SIZE
#define OL_BLOCK_MAX 144

/* A digest that OpenSSL offers. Entries live as long as the process and never change. */
typedef struct {
  uint32_t id;         /* its place in the table, from 0 */
  EVP_MD *md;          /* fetched once */
  uint32_t size;       /* output bytes; for an extendable output its usual length, 0 if none */
  uint32_t block_size; /* bytes */
  bool extendable;     /* SHAKE: the output may have any length */
  bool keyed;          /* HMAC may be built on it */
} ol_digest;

/* Finds a digest by any of OpenSSL's names for it, fetching it the first time. NULL: unknown, or
 * the null digest. Any thread. */
const ol_digest *ol_digest_find(const char *name);

/* The digest with that id, or NULL. Any thread. */
const ol_digest *ol_digest_at(uint32_t id);

/* Digests data into output[0..size). size is the digest's own, or any for an extendable one.
 * OL_CANCELLED leaves output as it was. */
ol_status ol_digest_run(const ol_digest *digest, ol_bytes data, uint8_t *output, size_t size,
                        ol_run *run);

/* Two steps of the above, for data that comes in pieces. Cancelling leaves the context half fed. */
ol_status ol_digest_update(EVP_MD_CTX *context, ol_bytes data, ol_run *run);
ol_status ol_digest_finish(const ol_digest *digest, EVP_MD_CTX *context, uint8_t *output,
                           size_t size, ol_run *run);

/* HMAC (RFC 2104) of data under a key of any length into output[0..digest->size), for a keyed
 * digest. OL_CANCELLED leaves output as it was. */
ol_status ol_hmac_run(const ol_digest *digest, ol_bytes key, ol_bytes data, uint8_t *output,
                      ol_run *run);

/* A key of any length as the block that HMAC's two passes begin with, before either is masked:
 * block[0..OL_BLOCK_MAX). The caller wipes it. */
ol_status ol_hmac_block(const ol_digest *digest, ol_bytes key, uint8_t *block, ol_run *run);

/* What masks that block for either pass. */
enum { OL_HMAC_INNER = 0x36, OL_HMAC_OUTER = 0x5c };

static inline void ol_hmac_mask(const ol_digest *digest, uint8_t *block, uint8_t mask) {
  for (size_t i = 0; i < digest->block_size; i++)
    block[i] ^= mask;
}

#endif

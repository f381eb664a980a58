/* Message digests and HMAC over OpenSSL's EVP interface (FIPS 180-4, FIPS 202, RFC 7693, RFC 2104).
 */
#ifndef OL_CORE_DIGEST_H
#define OL_CORE_DIGEST_H

#include <openssl/evp.h>

#include "core/contexts.h"

/* The longest fixed digest, in bytes. */
#define OL_DIGEST_MAX EVP_MAX_MD_SIZE

/* A digest that OpenSSL offers. Entries live as long as the process and never change. */
typedef struct {
  uint32_t id;         /* its place in the table, from 0 */
  EVP_MD *md;          /* fetched once */
  EVP_MAC *hmac;       /* fetched once; NULL where HMAC is not offered over it */
  char name[64];       /* OpenSSL's own first name for it, for EVP_MAC's parameter */
  uint32_t size;       /* output bytes; for an extendable output its usual length, 0 if none */
  uint32_t block_size; /* bytes */
  bool extendable;     /* SHAKE: the output may have any length */
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

/* HMAC of data under a key of any length into output[0..digest->size). */
ol_status ol_hmac_run(const ol_digest *digest, ol_bytes key, ol_bytes data, uint8_t *output,
                      ol_run *run);

#endif

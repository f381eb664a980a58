/* Stream ciphers and AEADs over OpenSSL's EVP interface: counter mode (NIST SP 800-38A), GCM (NIST
 * SP 800-38D), ChaCha20 and ChaCha20-Poly1305 (RFC 8439). All keep the length of what they encrypt.
 */
#ifndef OL_CORE_CIPHER_H
#define OL_CORE_CIPHER_H

#include <openssl/evp.h>

#include "core/contexts.h"
#include "core/crc.h"

#define OL_KEY_MAX EVP_MAX_KEY_LENGTH
#define OL_IV_MAX EVP_MAX_IV_LENGTH
#define OL_TAG_MAX 16

/* So much output is summed while it is still in the processor's second-level cache. */
#define OL_CIPHER_SUM_BLOCK ((size_t)128 * 1024)

typedef enum { OL_MODE_CTR, OL_MODE_GCM, OL_MODE_CHACHA20, OL_MODE_POLY1305 } ol_cipher_mode;

/* A cipher that OpenSSL offers. Entries live as long as the process and never change. */
typedef struct {
  uint32_t id;        /* its place in the table, from 0 */
  EVP_CIPHER *cipher; /* fetched once */
  ol_cipher_mode mode;
  uint32_t key_size; /* bytes */
  uint32_t iv_size;  /* bytes: 12 for the AEADs, 16 for the others */
  bool aead;         /* takes additional data and yields a tag */
  uint64_t data_max; /* most bytes under one key and IV */
} ol_cipher;

/* Finds a cipher by name. Only the four modes above are ever found: NULL for others. Any thread. */
const ol_cipher *ol_cipher_find(const char *name);

/* The cipher with that id, or NULL. Any thread. */
const ol_cipher *ol_cipher_at(uint32_t id);

/* Which tag lengths in bytes the standards allow: GCM 4, 8, 12 to 16 (SP 800-38D §5.2.1.2);
 * Poly1305 1 to 16 are accepted by OpenSSL, 16 alone by RFC 8439. */
bool ol_cipher_tag_size_valid(const ol_cipher *cipher, size_t size);

/* One message. key and iv have the cipher's sizes; aad and tag are empty unless it is an AEAD.
 * input and output hold size bytes each and are the same place, or share none. */
typedef struct {
  const ol_cipher *cipher;
  bool encrypting;
  ol_bytes key, iv, aad;
  const uint8_t *input;
  uint8_t *output;
  size_t size;
  ol_bytes tag;    /* encrypting: filled; decrypting: verified */
  ol_crc_sum *sum; /* grows by the output, but not by the tag; NULL: no checksum is wanted */
} ol_cipher_job;

/* Runs the message. When decrypting fails or is cancelled, what was written to output is wiped: no
 * plaintext is left that was not authenticated. OL_AUTHENTICATION: the tag does not match. */
ol_status ol_cipher_run(const ol_cipher_job *job, ol_run *run);

/* Its steps, for a message that comes in pieces: begin takes cipher, direction, key, IV and aad;
 * update goes on from input + *written until *written is size, and wipes nothing; finish takes the
 * tag. Whoever resets or frees the context wipes the key in it. */
ol_status ol_cipher_begin(const ol_cipher_job *job, EVP_CIPHER_CTX *context, ol_run *run);
ol_status ol_cipher_update(const ol_cipher_job *job, EVP_CIPHER_CTX *context, size_t *written,
                           ol_run *run);
ol_status ol_cipher_finish(const ol_cipher_job *job, EVP_CIPHER_CTX *context, ol_run *run);

#endif

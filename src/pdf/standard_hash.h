/*
 * The hash that revisions 5 and 6 of PDF's standard security handler make of a password
 * (ISO 32000-2, Algorithm 2.B, and plain SHA-256 for Adobe's revision 5), with the AES modes
 * that go with it. Private to standard_handler.c.
 *
 * A hasher is used by one thread at a time. Functions return false when OpenSSL fails.
 */
#ifndef OL_PDF_STANDARD_HASH_H
#define OL_PDF_STANDARD_HASH_H

#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  EVP_MD *digests[3]; /* SHA-256, SHA-384, SHA-512. */
  EVP_MD_CTX *digest;
  EVP_CIPHER *aes128;
  EVP_CIPHER_CTX *cipher;
} ol_standard_hash;

/* Prepares a hasher; on failure it is already freed. */
bool ol_standard_hash_init(ol_standard_hash *hash);

/* Frees what init made and wipes it. Harmless on an all-zero hasher. */
void ol_standard_hash_free(ol_standard_hash *hash);

/*
 * Hashes a password of up to 127 bytes (what is longer is cut) with an 8-byte salt and, for an
 * owner's, the 48 bytes of /U (NULL for a user's). `revision` is 5 or 6.
 */
bool ol_standard_hash_password(ol_standard_hash *hash, int revision, const uint8_t *password,
                               size_t length, const uint8_t salt[8], const uint8_t *u,
                               uint8_t out[32]);

/*
 * One AES-256 pass without padding over 16 or 32 bytes: CBC with a zero IV, or ECB if `ecb`.
 * `out` may be `in`.
 */
bool ol_standard_aes256(const uint8_t key[32], bool encrypt, bool ecb, const uint8_t *in,
                        size_t length, uint8_t *out);

#endif

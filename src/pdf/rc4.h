/*
 * RC4, as ISO 32000 still needs it to read and write documents of revisions 2 to 4.
 *
 * A few lines of C rather than OpenSSL's: EVP offers RC4 only through the legacy provider, which
 * neither Node nor a hardened system loads, and key derivation only touches 48 bytes of it.
 *
 * A state belongs to whoever declares it, lives on one thread at a time, and holds key material:
 * wipe it with OPENSSL_cleanse when done. Nothing here can fail.
 */
#ifndef OL_PDF_RC4_H
#define OL_PDF_RC4_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint8_t s[256];
  uint8_t i;
  uint8_t j;
} ol_rc4;

/* Keys the state. `key_length` is 1 to 256 bytes. */
void ol_rc4_init(ol_rc4 *state, const uint8_t *key, size_t key_length);

/* Encrypts or decrypts `length` bytes; `out` may be `in` itself, but not overlap it otherwise. */
void ol_rc4_apply(ol_rc4 *state, const uint8_t *in, uint8_t *out, size_t length);

#ifdef __cplusplus
}
#endif

#endif

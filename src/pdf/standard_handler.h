/*
 * The standard security handler of PDF (ISO 32000-2, 7.6.4): from passwords to the entries of an
 * encryption dictionary and to the file key, and back.
 *
 * Pure C over OpenSSL's EVP. Every function may be called on any thread, and on several at once;
 * nothing is kept between calls. Nothing is allocated that the caller would have to free. File
 * keys and structs that hold passwords are the caller's to wipe (OPENSSL_cleanse).
 *
 * Passwords are bytes, prepared by the caller as the revision wants them (PDFDocEncoding up to
 * revision 4, UTF-8 after SASLprep from 5 on). They may hold NULs. Only their first 32 bytes
 * (revisions 2 to 4) or 127 bytes (5 and 6) count, as the standard says.
 */
#ifndef OL_PDF_STANDARD_HANDLER_H
#define OL_PDF_STANDARD_HANDLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  OL_HANDLER_OK = 0,
  OL_HANDLER_WRONG_PASSWORD, /* Opens neither as user nor as owner. */
  OL_HANDLER_UNSUPPORTED,    /* A revision or key length outside the standard. */
  OL_HANDLER_CRYPTO          /* OpenSSL refused: no MD5 (FIPS), no memory, no random bytes. */
} ol_handler_status;

/* What a password opens a document as: bits. */
enum { OL_OPENS_AS_USER = 1, OL_OPENS_AS_OWNER = 2 };

enum { OL_HANDLER_KEY_MAX = 32 };

/*
 * The entries of an encryption dictionary that matter for keys, as raw (decrypted, unescaped)
 * bytes. O and U hold 32 bytes for revisions 2 to 4 (shorter ones found in files: zero-padded),
 * 48 for 5 and 6.
 */
typedef struct {
  int revision;  /* /R: 2, 3, 4, 5 or 6. */
  int key_bytes; /* File key's size: 5 to 16 for R2 to R4 (the standard's R2: 5), 32 for R5, R6. */
  int32_t p;     /* /P as a signed 32-bit number. */
  bool encrypt_metadata; /* /EncryptMetadata; only R4 to R6 look at it. */
  const uint8_t *id;     /* First string of the trailer's /ID; R2 to R4 only. Borrowed. */
  size_t id_length;      /* May be 0. */
  uint8_t o[48];
  uint8_t u[48];
  uint8_t oe[32]; /* R5 and R6 only, as are the next two. */
  uint8_t ue[32];
  uint8_t perms[16];
} ol_handler_entries;

typedef struct {
  const uint8_t *data; /* May be NULL if length is 0. */
  size_t length;
} ol_password;

/*
 * For writing: given revision (2, 3, 4 or 6), key_bytes, p, encrypt_metadata and id, fills in o,
 * u (and oe, ue, perms for R6) from the passwords and gives the file key (key_bytes bytes; random
 * for R6). An empty owner password is replaced by the user's, so that no document opens as owner
 * with no password unless it opens as user with none. Algorithms 2, 3, 4, 5, 8, 9 and 10.
 */
ol_handler_status ol_handler_create(ol_handler_entries *entries, ol_password user,
                                    ol_password owner, uint8_t key[OL_HANDLER_KEY_MAX]);

/*
 * For reading: checks one password against both roles. On OK `*opens_as` holds at least one bit
 * and `key` the file key (key_bytes bytes). On WRONG_PASSWORD `*opens_as` is 0 and key untouched.
 * Algorithms 2, 2.A, 6, 7, 11 and 12 (all revisions from 2 to 6).
 */
ol_handler_status ol_handler_authenticate(const ol_handler_entries *entries, ol_password password,
                                          unsigned *opens_as, uint8_t key[OL_HANDLER_KEY_MAX]);

/*
 * R5 and R6, Algorithm 13: whether /Perms, decrypted with the file key, agrees with p and
 * encrypt_metadata. A disagreement means that someone edited the plaintext /P.
 */
bool ol_handler_perms_agree(const ol_handler_entries *entries, const uint8_t key[32]);

#ifdef __cplusplus
}
#endif

#endif

#include "standard_handler.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <string.h>

#include "rc4.h"
#include "standard_hash.h"

enum { PAD = 32, MD5_SIZE = 16, SALTS_AT = 32 };

/* What fills short passwords up to 32 bytes (7.6.4.3.2). */
static const uint8_t padding[PAD] = {
    0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
    0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A};

typedef struct {
  EVP_MD *md;
  EVP_MD_CTX *ctx;
} md5_tool;

static bool md5_open(md5_tool *md5) {
  md5->md = EVP_MD_fetch(NULL, "MD5", NULL);
  md5->ctx = EVP_MD_CTX_new();
  return md5->md != NULL && md5->ctx != NULL;
}

static void md5_close(md5_tool *md5) {
  EVP_MD_CTX_free(md5->ctx);
  EVP_MD_free(md5->md);
}

/* Hashes the first `length` bytes of `digest` into itself, `times` over. */
static bool md5_repeat(md5_tool *md5, uint8_t digest[MD5_SIZE], size_t length, int times) {
  for (int i = 0; i < times; i++) {
    if (!EVP_DigestInit_ex2(md5->ctx, md5->md, NULL) ||
        !EVP_DigestUpdate(md5->ctx, digest, length) ||
        !EVP_DigestFinal_ex(md5->ctx, digest, NULL)) {
      return false;
    }
  }
  return true;
}

static void password_pad(ol_password password, uint8_t out[PAD]) {
  size_t n = password.length < PAD ? password.length : PAD;
  if (n != 0) memcpy(out, password.data, n);
  memcpy(out + n, padding, PAD - n);
}

/* Revision 2 enciphers once; from 3 on 19 more times with the key XORed by the turn's number. */
static void rc4_turns(const uint8_t *key, int key_bytes, int first, int last, int step,
                      uint8_t *data, size_t length) {
  uint8_t turn_key[MD5_SIZE];
  ol_rc4 rc4;
  for (int turn = first; turn != last; turn += step) {
    for (int i = 0; i < key_bytes; i++)
      turn_key[i] = (uint8_t)(key[i] ^ turn);
    ol_rc4_init(&rc4, turn_key, (size_t)key_bytes);
    ol_rc4_apply(&rc4, data, data, length);
  }
  OPENSSL_cleanse(turn_key, sizeof turn_key);
  OPENSSL_cleanse(&rc4, sizeof rc4);
}

static void p_bytes(int32_t p, uint8_t out[4]) {
  uint32_t v = (uint32_t)p;
  for (int i = 0; i < 4; i++)
    out[i] = (uint8_t)(v >> (8 * i));
}

/* Algorithm 2. `key` receives 16 bytes, of which key_bytes count. */
static bool legacy_file_key(md5_tool *md5, const ol_handler_entries *e, const uint8_t padded[PAD],
                            uint8_t key[MD5_SIZE]) {
  static const uint8_t cleartext_metadata[4] = {0xFF, 0xFF, 0xFF, 0xFF};
  uint8_t p[4];
  p_bytes(e->p, p);
  EVP_MD_CTX *c = md5->ctx;
  return EVP_DigestInit_ex2(c, md5->md, NULL) && EVP_DigestUpdate(c, padded, PAD) &&
         EVP_DigestUpdate(c, e->o, PAD) && EVP_DigestUpdate(c, p, sizeof p) &&
         EVP_DigestUpdate(c, e->id, e->id_length) &&
         (e->revision < 4 || e->encrypt_metadata ||
          EVP_DigestUpdate(c, cleartext_metadata, sizeof cleartext_metadata)) &&
         EVP_DigestFinal_ex(c, key, NULL) &&
         md5_repeat(md5, key, (size_t)e->key_bytes, e->revision >= 3 ? 50 : 0);
}

/* Algorithms 4 (R2) and 5 (R3, R4): the 32 or 16 bytes of /U that are determined by the key. */
static bool legacy_u(md5_tool *md5, const ol_handler_entries *e, const uint8_t key[MD5_SIZE],
                     uint8_t u[PAD]) {
  memset(u, 0, PAD);
  if (e->revision == 2) {
    memcpy(u, padding, PAD);
    rc4_turns(key, e->key_bytes, 0, 1, 1, u, PAD);
    return true;
  }
  EVP_MD_CTX *c = md5->ctx;
  if (!EVP_DigestInit_ex2(c, md5->md, NULL) || !EVP_DigestUpdate(c, padding, PAD) ||
      !EVP_DigestUpdate(c, e->id, e->id_length) || !EVP_DigestFinal_ex(c, u, NULL)) {
    return false;
  }
  rc4_turns(key, e->key_bytes, 0, 20, 1, u, MD5_SIZE);
  return true;
}

/*
 * The RC4 key that an owner password gives (steps a to d of Algorithm 3). `rehash` is how many
 * bytes of each digest go into the next: the standard says all 16; some writers of short keys
 * take key_bytes.
 */
static bool legacy_owner_key(md5_tool *md5, const ol_handler_entries *e, ol_password owner,
                             size_t rehash, uint8_t key[MD5_SIZE]) {
  uint8_t padded[PAD];
  password_pad(owner, padded);
  bool ok = EVP_DigestInit_ex2(md5->ctx, md5->md, NULL) &&
            EVP_DigestUpdate(md5->ctx, padded, PAD) && EVP_DigestFinal_ex(md5->ctx, key, NULL) &&
            md5_repeat(md5, key, rehash, e->revision >= 3 ? 50 : 0);
  OPENSSL_cleanse(padded, sizeof padded);
  return ok;
}

static ol_handler_status legacy_create(ol_handler_entries *e, ol_password user, ol_password owner,
                                       uint8_t key[MD5_SIZE]) {
  ol_handler_status status = OL_HANDLER_CRYPTO;
  uint8_t owner_key[MD5_SIZE];
  uint8_t padded[PAD];
  md5_tool md5;
  if (!md5_open(&md5)) goto done;
  if (!legacy_owner_key(&md5, e, owner, MD5_SIZE, owner_key)) goto done;
  password_pad(user, padded);
  memcpy(e->o, padded, PAD);
  rc4_turns(owner_key, e->key_bytes, 0, e->revision == 2 ? 1 : 20, 1, e->o, PAD);
  if (!legacy_file_key(&md5, e, padded, key)) goto done;
  if (!legacy_u(&md5, e, key, e->u)) goto done;
  status = OL_HANDLER_OK;
done:
  md5_close(&md5);
  OPENSSL_cleanse(owner_key, sizeof owner_key);
  OPENSSL_cleanse(padded, sizeof padded);
  return status;
}

/* Algorithm 6 on a padded password. */
static ol_handler_status legacy_try_user(md5_tool *md5, const ol_handler_entries *e,
                                         const uint8_t padded[PAD], uint8_t key[MD5_SIZE]) {
  uint8_t u[PAD];
  if (!legacy_file_key(md5, e, padded, key) || !legacy_u(md5, e, key, u)) return OL_HANDLER_CRYPTO;
  bool match = CRYPTO_memcmp(u, e->u, e->revision == 2 ? PAD : MD5_SIZE) == 0;
  return match ? OL_HANDLER_OK : OL_HANDLER_WRONG_PASSWORD;
}

/* Algorithm 7: deciphers /O to the padded user password and tries that. */
static ol_handler_status legacy_try_owner(md5_tool *md5, const ol_handler_entries *e,
                                          ol_password password, size_t rehash,
                                          uint8_t key[MD5_SIZE]) {
  ol_handler_status status = OL_HANDLER_CRYPTO;
  uint8_t owner_key[MD5_SIZE];
  uint8_t padded[PAD];
  if (!legacy_owner_key(md5, e, password, rehash, owner_key)) goto done;
  memcpy(padded, e->o, PAD);
  rc4_turns(owner_key, e->key_bytes, e->revision == 2 ? 0 : 19, -1, -1, padded, PAD);
  status = legacy_try_user(md5, e, padded, key);
done:
  OPENSSL_cleanse(owner_key, sizeof owner_key);
  OPENSSL_cleanse(padded, sizeof padded);
  return status;
}

static ol_handler_status legacy_authenticate(const ol_handler_entries *e, ol_password password,
                                             unsigned *opens_as, uint8_t key[MD5_SIZE]) {
  ol_handler_status user = OL_HANDLER_CRYPTO;
  ol_handler_status owner = OL_HANDLER_CRYPTO;
  uint8_t user_key[MD5_SIZE];
  uint8_t owner_key[MD5_SIZE];
  uint8_t padded[PAD];
  md5_tool md5;
  if (!md5_open(&md5)) goto done;
  password_pad(password, padded);
  user = legacy_try_user(&md5, e, padded, user_key);
  owner = legacy_try_owner(&md5, e, password, MD5_SIZE, owner_key);
  if (owner == OL_HANDLER_WRONG_PASSWORD && e->revision >= 3 && e->key_bytes < MD5_SIZE) {
    owner = legacy_try_owner(&md5, e, password, (size_t)e->key_bytes, owner_key);
  }
  if (user == OL_HANDLER_CRYPTO || owner == OL_HANDLER_CRYPTO) goto done;
  if (owner == OL_HANDLER_OK) {
    *opens_as |= OL_OPENS_AS_OWNER;
    memcpy(key, owner_key, (size_t)e->key_bytes);
  }
  /* What is cut off cannot be compared, so an owner's longer password does not pass for a user's.
   */
  if (user == OL_HANDLER_OK && !(owner == OL_HANDLER_OK && password.length > PAD)) {
    *opens_as |= OL_OPENS_AS_USER;
    memcpy(key, user_key, (size_t)e->key_bytes);
  }
done:
  md5_close(&md5);
  OPENSSL_cleanse(user_key, sizeof user_key);
  OPENSSL_cleanse(owner_key, sizeof owner_key);
  OPENSSL_cleanse(padded, sizeof padded);
  if (user == OL_HANDLER_CRYPTO || owner == OL_HANDLER_CRYPTO) return OL_HANDLER_CRYPTO;
  return *opens_as != 0 ? OL_HANDLER_OK : OL_HANDLER_WRONG_PASSWORD;
}

/* Algorithm 10: the 16 bytes of /Perms before they are enciphered; the last 4 are random. */
static void perms_plain(const ol_handler_entries *e, uint8_t perms[16]) {
  p_bytes(e->p, perms);
  memset(perms + 4, 0xFF, 4);
  perms[8] = e->encrypt_metadata ? 'T' : 'F';
  memcpy(perms + 9, "adb", 3);
}

/*
 * Algorithms 8 and 9: `entry` becomes validation hash, validation salt and key salt; `wrapped`
 * the file key enciphered under the password's other hash. `u` is NULL for the user's pair.
 */
static bool modern_wrap(ol_standard_hash *hash, ol_password password, const uint8_t *u,
                        const uint8_t key[32], uint8_t entry[48], uint8_t wrapped[32]) {
  uint8_t wrapping_key[32];
  bool ok = RAND_bytes(entry + SALTS_AT, 16) == 1 &&
            ol_standard_hash_password(hash, 6, password.data, password.length, entry + SALTS_AT, u,
                                      entry) &&
            ol_standard_hash_password(hash, 6, password.data, password.length, entry + SALTS_AT + 8,
                                      u, wrapping_key) &&
            ol_standard_aes256(wrapping_key, true, false, key, 32, wrapped);
  OPENSSL_cleanse(wrapping_key, sizeof wrapping_key);
  return ok;
}

static ol_handler_status modern_create(ol_handler_entries *e, ol_password user, ol_password owner,
                                       uint8_t key[32]) {
  ol_standard_hash hash;
  if (!ol_standard_hash_init(&hash)) return OL_HANDLER_CRYPTO;
  perms_plain(e, e->perms);
  bool ok = RAND_priv_bytes(key, 32) == 1 && RAND_bytes(e->perms + 12, 4) == 1 &&
            modern_wrap(&hash, user, NULL, key, e->u, e->ue) &&
            modern_wrap(&hash, owner, e->u, key, e->o, e->oe) &&
            ol_standard_aes256(key, true, true, e->perms, 16, e->perms);
  ol_standard_hash_free(&hash);
  return ok ? OL_HANDLER_OK : OL_HANDLER_CRYPTO;
}

/* Algorithms 11 and 12; on a match unwraps the file key (Algorithm 2.A). */
static ol_handler_status modern_try(ol_standard_hash *hash, int revision, ol_password password,
                                    const uint8_t *u, const uint8_t entry[48],
                                    const uint8_t wrapped[32], uint8_t key[32]) {
  uint8_t digest[32];
  ol_handler_status status = OL_HANDLER_CRYPTO;
  if (!ol_standard_hash_password(hash, revision, password.data, password.length, entry + SALTS_AT,
                                 u, digest)) {
    goto done;
  }
  status = OL_HANDLER_WRONG_PASSWORD;
  if (CRYPTO_memcmp(digest, entry, sizeof digest) != 0) goto done;
  status = OL_HANDLER_CRYPTO;
  if (!ol_standard_hash_password(hash, revision, password.data, password.length,
                                 entry + SALTS_AT + 8, u, digest) ||
      !ol_standard_aes256(digest, false, false, wrapped, 32, key)) {
    goto done;
  }
  status = OL_HANDLER_OK;
done:
  OPENSSL_cleanse(digest, sizeof digest);
  return status;
}

static ol_handler_status modern_authenticate(const ol_handler_entries *e, ol_password password,
                                             unsigned *opens_as, uint8_t key[32]) {
  ol_standard_hash hash;
  if (!ol_standard_hash_init(&hash)) return OL_HANDLER_CRYPTO;
  ol_handler_status owner = modern_try(&hash, e->revision, password, e->u, e->o, e->oe, key);
  ol_handler_status user = modern_try(&hash, e->revision, password, NULL, e->u, e->ue, key);
  ol_standard_hash_free(&hash);
  if (user == OL_HANDLER_CRYPTO || owner == OL_HANDLER_CRYPTO) return OL_HANDLER_CRYPTO;
  if (owner == OL_HANDLER_OK) *opens_as |= OL_OPENS_AS_OWNER;
  if (user == OL_HANDLER_OK) *opens_as |= OL_OPENS_AS_USER;
  return *opens_as != 0 ? OL_HANDLER_OK : OL_HANDLER_WRONG_PASSWORD;
}

static bool sizes_fit(const ol_handler_entries *e) {
  if (e->revision >= 2 && e->revision <= 4) return e->key_bytes >= 5 && e->key_bytes <= 16;
  return (e->revision == 5 || e->revision == 6) && e->key_bytes == 32;
}

ol_handler_status ol_handler_create(ol_handler_entries *entries, ol_password user,
                                    ol_password owner, uint8_t key[OL_HANDLER_KEY_MAX]) {
  if (!sizes_fit(entries) || entries->revision == 5) return OL_HANDLER_UNSUPPORTED;
  if (owner.length == 0) owner = user;
  if (entries->revision == 6) return modern_create(entries, user, owner, key);
  return legacy_create(entries, user, owner, key);
}

ol_handler_status ol_handler_authenticate(const ol_handler_entries *entries, ol_password password,
                                          unsigned *opens_as, uint8_t key[OL_HANDLER_KEY_MAX]) {
  *opens_as = 0;
  if (!sizes_fit(entries)) return OL_HANDLER_UNSUPPORTED;
  if (entries->revision >= 5) return modern_authenticate(entries, password, opens_as, key);
  return legacy_authenticate(entries, password, opens_as, key);
}

bool ol_handler_perms_agree(const ol_handler_entries *entries, const uint8_t key[32]) {
  uint8_t expected[16];
  uint8_t found[16];
  perms_plain(entries, expected);
  if (!ol_standard_aes256(key, false, true, entries->perms, 16, found)) return false;
  return memcmp(found, expected, 4) == 0 && memcmp(found + 8, expected + 8, 4) == 0;
}

#include "standard_hash.h"

#include <openssl/crypto.h>
#include <string.h>

enum {
  PASSWORD_MAX = 127,
  U_SIZE = 48,
  REPEATS = 64,
  ROUNDS_MIN = 64,
  BLOCK_MAX = PASSWORD_MAX + EVP_MAX_MD_SIZE + U_SIZE
};

/* The message of each round is the same block 64 times over. */
typedef struct {
  uint8_t k[EVP_MAX_MD_SIZE];
  uint8_t message[REPEATS * BLOCK_MAX];
} workspace;

bool ol_standard_hash_init(ol_standard_hash *hash) {
  memset(hash, 0, sizeof *hash);
  hash->digests[0] = EVP_MD_fetch(NULL, "SHA256", NULL);
  hash->digests[1] = EVP_MD_fetch(NULL, "SHA384", NULL);
  hash->digests[2] = EVP_MD_fetch(NULL, "SHA512", NULL);
  hash->digest = EVP_MD_CTX_new();
  hash->aes128 = EVP_CIPHER_fetch(NULL, "AES-128-CBC", NULL);
  hash->cipher = EVP_CIPHER_CTX_new();
  if (hash->digests[0] && hash->digests[1] && hash->digests[2] && hash->digest && hash->aes128 &&
      hash->cipher) {
    return true;
  }
  ol_standard_hash_free(hash);
  return false;
}

void ol_standard_hash_free(ol_standard_hash *hash) {
  for (int i = 0; i < 3; i++)
    EVP_MD_free(hash->digests[i]);
  EVP_MD_CTX_free(hash->digest);
  EVP_CIPHER_free(hash->aes128);
  EVP_CIPHER_CTX_free(hash->cipher);
  memset(hash, 0, sizeof *hash);
}

static bool hash_start(ol_standard_hash *hash, const uint8_t *password, size_t length,
                       const uint8_t salt[8], const uint8_t *u, uint8_t out[32]) {
  EVP_MD_CTX *c = hash->digest;
  return EVP_DigestInit_ex2(c, hash->digests[0], NULL) && EVP_DigestUpdate(c, password, length) &&
         EVP_DigestUpdate(c, salt, 8) && (u == NULL || EVP_DigestUpdate(c, u, U_SIZE)) &&
         EVP_DigestFinal_ex(c, out, NULL);
}

/* Fills the message with its 64 copies and returns its length, always a multiple of 64. */
static size_t message_build(workspace *w, const uint8_t *password, size_t length, size_t k_length,
                            const uint8_t *u) {
  size_t n = 0;
  if (length != 0) memcpy(w->message, password, length);
  n += length;
  memcpy(w->message + n, w->k, k_length);
  n += k_length;
  if (u != NULL) {
    memcpy(w->message + n, u, U_SIZE);
    n += U_SIZE;
  }
  size_t total = n * REPEATS;
  for (size_t done = n; done < total; done *= 2) {
    size_t more = done < total - done ? done : total - done;
    memcpy(w->message + done, w->message, more);
  }
  return total;
}

static bool hash_rounds(ol_standard_hash *hash, workspace *w, const uint8_t *password,
                        size_t length, const uint8_t *u) {
  size_t k_length = 32;
  int last = 0;
  for (int round = 0; round < ROUNDS_MIN || last > round - 32; round++) {
    int n = (int)message_build(w, password, length, k_length, u);
    int encrypted = 0;
    if (!EVP_EncryptInit_ex2(hash->cipher, hash->aes128, w->k, w->k + 16, NULL) ||
        !EVP_CIPHER_CTX_set_padding(hash->cipher, 0) ||
        !EVP_EncryptUpdate(hash->cipher, w->message, &encrypted, w->message, n) || encrypted != n) {
      return false;
    }
    /* The first 16 bytes, as a big-endian number modulo 3: 256 is 1 there, so their sum is it. */
    unsigned sum = 0;
    for (int i = 0; i < 16; i++)
      sum += w->message[i];
    EVP_MD *md = hash->digests[sum % 3];
    unsigned digest_length = 0;
    if (!EVP_DigestInit_ex2(hash->digest, md, NULL) ||
        !EVP_DigestUpdate(hash->digest, w->message, (size_t)n) ||
        !EVP_DigestFinal_ex(hash->digest, w->k, &digest_length)) {
      return false;
    }
    k_length = digest_length;
    last = w->message[n - 1];
  }
  return true;
}

bool ol_standard_hash_password(ol_standard_hash *hash, int revision, const uint8_t *password,
                               size_t length, const uint8_t salt[8], const uint8_t *u,
                               uint8_t out[32]) {
  if (length > PASSWORD_MAX) length = PASSWORD_MAX;
  if (revision == 5) return hash_start(hash, password, length, salt, u, out);

  workspace w;
  bool ok = hash_start(hash, password, length, salt, u, w.k) &&
            hash_rounds(hash, &w, password, length, u);
  if (ok) memcpy(out, w.k, 32);
  OPENSSL_cleanse(&w, sizeof w);
  return ok;
}

bool ol_standard_aes256(const uint8_t key[32], bool encrypt, bool ecb, const uint8_t *in,
                        size_t length, uint8_t *out) {
  static const uint8_t zero_iv[16] = {0};
  EVP_CIPHER *aes = EVP_CIPHER_fetch(NULL, ecb ? "AES-256-ECB" : "AES-256-CBC", NULL);
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  int n = 0;
  bool ok = aes != NULL && c != NULL &&
            EVP_CipherInit_ex2(c, aes, key, ecb ? NULL : zero_iv, encrypt, NULL) &&
            EVP_CIPHER_CTX_set_padding(c, 0) && EVP_CipherUpdate(c, out, &n, in, (int)length) &&
            n == (int)length;
  EVP_CIPHER_CTX_free(c);
  EVP_CIPHER_free(aes);
  return ok;
}

/* What OpenSSL itself takes for an operation: the loop that a benchmark compares all else with.
 *
 * It calls the same libcrypto entry points that an addon calls, those of the running Node, on one
 * thread, and leaves out whatever is not needed: the algorithm is fetched once, the context is
 * kept, and nothing is wiped. Each operation gets its key and IV anew, and its tag is fetched. */
#include <node_api.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <uv.h>

#define NAME_MAX_BYTES 64

typedef struct {
  uint8_t *data;
  size_t size;
} bytes;

typedef struct limit limit;

/* One kind of operation. `open` makes the context, `run` does the whole operation once. */
typedef struct {
  const char *name;
  bool (*open)(limit *);
  bool (*run)(limit *);
  void (*close)(limit *);
} kind;

struct limit {
  char algorithm[NAME_MAX_BYTES];
  bytes key, iv, data, target; /* target: ciphertext and tag, or digest */
  EVP_CIPHER_CTX *cipher;
  EVP_MD *md;
  EVP_MD_CTX *digest;
  EVP_MAC_CTX *mac;
};

static bool cipher_open(limit *self) {
  EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, self->algorithm, NULL);
  self->cipher = EVP_CIPHER_CTX_new();
  bool ok = cipher != NULL && self->cipher != NULL &&
            (size_t)EVP_CIPHER_get_key_length(cipher) == self->key.size &&
            (size_t)EVP_CIPHER_get_iv_length(cipher) == self->iv.size &&
            self->target.size >= self->data.size &&
            EVP_EncryptInit_ex2(self->cipher, cipher, NULL, NULL, NULL);
  EVP_CIPHER_free(cipher);
  return ok;
}

static bool cipher_run(limit *self) {
  uint8_t *target = self->target.data;
  int size;
  if (!EVP_EncryptInit_ex2(self->cipher, NULL, self->key.data, self->iv.data, NULL) ||
      !EVP_EncryptUpdate(self->cipher, target, &size, self->data.data, (int)self->data.size) ||
      !EVP_EncryptFinal_ex(self->cipher, target + size, &size)) {
    return false;
  }
  size_t tag_size = self->target.size - self->data.size;
  if (tag_size == 0) return true;
  OSSL_PARAM tag[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG,
                                                        target + self->data.size, tag_size),
                      OSSL_PARAM_construct_end()};
  return EVP_CIPHER_CTX_get_params(self->cipher, tag);
}

static void cipher_close(limit *self) {
  EVP_CIPHER_CTX_free(self->cipher);
}

static bool digest_open(limit *self) {
  self->md = EVP_MD_fetch(NULL, self->algorithm, NULL);
  self->digest = EVP_MD_CTX_new();
  return self->md != NULL && self->digest != NULL &&
         (size_t)EVP_MD_get_size(self->md) <= self->target.size;
}

static bool digest_run(limit *self) {
  return EVP_DigestInit_ex2(self->digest, self->md, NULL) &&
         EVP_DigestUpdate(self->digest, self->data.data, self->data.size) &&
         EVP_DigestFinal_ex(self->digest, self->target.data, NULL);
}

static void digest_close(limit *self) {
  EVP_MD_CTX_free(self->digest);
  EVP_MD_free(self->md);
}

static bool hmac_open(limit *self) {
  OSSL_PARAM digest[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, self->algorithm, 0),
      OSSL_PARAM_construct_end()};
  EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
  if (mac != NULL) self->mac = EVP_MAC_CTX_new(mac);
  EVP_MAC_free(mac);
  return self->mac != NULL && EVP_MAC_CTX_set_params(self->mac, digest);
}

static bool hmac_run(limit *self) {
  size_t size;
  return EVP_MAC_init(self->mac, self->key.data, self->key.size, NULL) &&
         EVP_MAC_update(self->mac, self->data.data, self->data.size) &&
         EVP_MAC_final(self->mac, self->target.data, &size, self->target.size);
}

static void hmac_close(limit *self) {
  EVP_MAC_CTX_free(self->mac);
}

static const kind kinds[] = {
    {"cipher", cipher_open, cipher_run, cipher_close},
    {"hash", digest_open, digest_run, digest_close},
    {"hmac", hmac_open, hmac_run, hmac_close},
};

static const kind *kind_find(const char *name) {
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
  }
  return NULL;
}

/* Runs it `count` times; where there are samples, the nanoseconds of each of the first runs are
 * kept. The whole time in nanoseconds, or 0 on failure. */
static uint64_t repeat(const kind *of, limit *self, uint32_t count, double *samples,
                       size_t sample_count) {
  uint64_t start = uv_hrtime(), before = start;
  for (uint32_t i = 0; i < count; i++) {
    if (!of->run(self)) return 0;
    if (i >= sample_count) continue;
    uint64_t after = uv_hrtime();
    samples[i] = (double)(after - before);
    before = after;
  }
  return uv_hrtime() - start;
}

static bool name_read(napi_env env, napi_value value, char name[NAME_MAX_BYTES]) {
  return napi_get_value_string_utf8(env, value, name, NAME_MAX_BYTES, NULL) == napi_ok;
}

static bool bytes_read(napi_env env, napi_value value, bytes *read) {
  void *data;
  if (napi_get_buffer_info(env, value, &data, &read->size) != napi_ok) return false;
  read->data = data;
  return true;
}

static bool samples_read(napi_env env, napi_value value, double **samples, size_t *count) {
  napi_valuetype type;
  napi_typedarray_type element;
  void *data;
  if (napi_typeof(env, value, &type) != napi_ok) return false;
  if (type == napi_undefined) return true;
  if (napi_get_typedarray_info(env, value, &element, count, &data, NULL, NULL) != napi_ok ||
      element != napi_float64_array) {
    return false;
  }
  *samples = data;
  return true;
}

/* run(kind, algorithm, key, iv, data, target, count, samples?): nanoseconds for `count` operations.
 * samples is a Float64Array. */
static napi_value run(napi_env env, napi_callback_info info) {
  enum { KIND, ALGORITHM, KEY, IV, DATA, TARGET, COUNT, SAMPLES, ARGUMENTS };
  size_t argument_count = ARGUMENTS, sample_count = 0;
  napi_value arguments[ARGUMENTS], result = NULL;
  char name[NAME_MAX_BYTES];
  limit self = {0};
  uint32_t count;
  double *samples = NULL;
  if (napi_get_cb_info(env, info, &argument_count, arguments, NULL, NULL) != napi_ok) return NULL;
  const kind *of = name_read(env, arguments[KIND], name) ? kind_find(name) : NULL;
  if (of == NULL || !name_read(env, arguments[ALGORITHM], self.algorithm) ||
      !bytes_read(env, arguments[KEY], &self.key) || !bytes_read(env, arguments[IV], &self.iv) ||
      !bytes_read(env, arguments[DATA], &self.data) ||
      !bytes_read(env, arguments[TARGET], &self.target) ||
      napi_get_value_uint32(env, arguments[COUNT], &count) != napi_ok ||
      !samples_read(env, arguments[SAMPLES], &samples, &sample_count)) {
    napi_throw_type_error(env, NULL, "limit: bad arguments");
    return NULL;
  }
  uint64_t nanoseconds = of->open(&self) ? repeat(of, &self, count, samples, sample_count) : 0;
  of->close(&self);
  if (nanoseconds == 0) {
    napi_throw_error(env, NULL, "limit: OpenSSL refused");
  } else {
    napi_create_double(env, (double)nanoseconds, &result);
  }
  return result;
}

NAPI_MODULE_INIT() {
  napi_value function;
  if (napi_create_function(env, "run", NAPI_AUTO_LENGTH, run, NULL, &function) != napi_ok ||
      napi_set_named_property(env, exports, "run", function) != napi_ok) {
    return NULL;
  }
  return exports;
}

#include "fast_crypt.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

enum { STRING_MAX = 160 };

typedef struct {
  const uint8_t *p, *end;
} range;

static bool find_integer(range dict, const char *name, int64_t absent, int64_t *value) {
  ol_pair pair;
  *value = absent;
  if (!ol_pair_find(dict.p, dict.end, name, &pair)) return true;
  *value = pair.value.integer;
  return pair.value.type == OL_TOKEN_INTEGER && !pair.reference;
}

/* A string of `size` bytes, or a longer one that goes on with zeros, as some writers have it. */
static bool find_string(range dict, const char *name, size_t size, uint8_t *out) {
  uint8_t bytes[STRING_MAX];
  ol_pair pair;
  if (!ol_pair_find(dict.p, dict.end, name, &pair) || pair.value.type != OL_TOKEN_STRING ||
      pair.value.decoded_length < size || pair.value.decoded_length > sizeof bytes) {
    return false;
  }
  ol_string_decode(pair.value.start, pair.value.end, bytes);
  for (size_t i = size; i < pair.value.decoded_length; i++) {
    if (bytes[i]) return false;
  }
  memcpy(out, bytes, size);
  return true;
}

static bool find_boolean(range dict, const char *name, bool absent, bool *value) {
  ol_pair pair;
  *value = absent;
  if (!ol_pair_find(dict.p, dict.end, name, &pair)) return true;
  *value = ol_token_is(&pair.value, "true");
  return *value || ol_token_is(&pair.value, "false");
}

static bool read_filter(range dict, int64_t v, const ol_token *name, ol_crypt_filter *filter) {
  size_t length = (size_t)(name->end - name->start) - 1;
  ol_pair pair;
  if (name->escaped || length >= sizeof filter->name) return false;
  memcpy(filter->name, name->start + 1, length);
  filter->name[length] = 0;
  if (!ol_pair_find(dict.p, dict.end, "CFM", &pair)) return false;
  if (ol_name_is(&pair.value, "None")) {
    filter->method = OL_CRYPT_NONE;
  } else if (v == 4 && ol_name_is(&pair.value, "V2")) {
    filter->method = OL_CRYPT_RC4;
  } else if (v == 4 && ol_name_is(&pair.value, "AESV2")) {
    filter->method = OL_CRYPT_AESV2;
  } else if (v == 5 && ol_name_is(&pair.value, "AESV3")) {
    filter->method = OL_CRYPT_AESV3;
  } else {
    return false;
  }
  return strcmp(filter->name, "Identity") != 0;
}

static bool read_filters(ol_crypt *crypt, range dict, int64_t v) {
  ol_pair cf, pair;
  const uint8_t *p;
  if (!ol_pair_find(dict.p, dict.end, "CF", &cf)) return true;
  if (cf.value.type != OL_TOKEN_DICT_OPEN) return false;
  for (p = cf.value.start; ol_pair_next(&p, cf.end, &pair); crypt->filter_count++) {
    range inner = {pair.value.start, pair.end};
    if (crypt->filter_count == OL_CRYPT_FILTERS_MAX || pair.value.type != OL_TOKEN_DICT_OPEN ||
        !read_filter(inner, v, &pair.key, &crypt->filters[crypt->filter_count])) {
      return false;
    }
  }
  return true;
}

bool ol_crypt_find(const ol_crypt *crypt, const ol_token *name, ol_crypt_method *method) {
  if (ol_name_is(name, "Identity")) {
    *method = OL_CRYPT_NONE;
    return true;
  }
  for (size_t i = 0; i < crypt->filter_count; i++) {
    if (!ol_name_is(name, crypt->filters[i].name)) continue;
    *method = crypt->filters[i].method;
    return true;
  }
  return false;
}

static bool find_method(ol_crypt *crypt, range dict, const char *key, ol_crypt_method absent,
                        ol_crypt_method *method) {
  ol_pair pair;
  *method = absent;
  if (!ol_pair_find(dict.p, dict.end, key, &pair)) return true;
  return pair.value.type == OL_TOKEN_NAME && ol_crypt_find(crypt, &pair.value, method);
}

/* /V, /R and /Length as they may go together, and what they mean for the file key. */
static bool read_versions(range dict, int64_t *v, ol_handler_entries *entries) {
  int64_t r, length, p;
  if (!find_integer(dict, "V", -1, v) || !find_integer(dict, "R", -1, &r) ||
      !find_integer(dict, "Length", 40, &length) || !find_integer(dict, "P", INT64_MAX, &p)) {
    return false;
  }
  if (p < INT32_MIN || p > UINT32_MAX) return false;
  entries->revision = (int)r;
  entries->p = (int32_t)(uint32_t)(uint64_t)p;
  switch (*v) {
    case 1:
      entries->key_bytes = 5;
      return r == 2 || r == 3;
    case 2:
      entries->key_bytes = (int)(length / 8);
      return r == 3 && length >= 40 && length <= 128 && length % 8 == 0;
    case 4:
      entries->key_bytes = 16;
      return r == 4;
    case 5:
      entries->key_bytes = 32;
      return r == 5 || r == 6;
    default:
      return false;
  }
}

static bool read_entries(range dict, ol_handler_entries *entries) {
  bool old = entries->revision < 5;
  size_t size = old ? 32 : 48;
  if (!find_string(dict, "O", size, entries->o) || !find_string(dict, "U", size, entries->u)) {
    return false;
  }
  return old ||
         (find_string(dict, "OE", 32, entries->oe) && find_string(dict, "UE", 32, entries->ue) &&
          find_string(dict, "Perms", 16, entries->perms));
}

static bool prepare_digest(ol_crypt *crypt) {
  if (crypt->strings == OL_CRYPT_AESV3 || crypt->digest) return true;
  crypt->md5 = EVP_MD_fetch(NULL, "MD5", NULL);
  crypt->digest = EVP_MD_CTX_new();
  return crypt->md5 && crypt->digest;
}

static bool authenticate(ol_crypt *crypt, const ol_handler_entries *entries,
                         const ol_pdf_options *options) {
  ol_password empty = {NULL, 0};
  size_t count = options->password_count ? options->password_count : 1;
  crypt->key_bytes = (size_t)entries->key_bytes;
  for (size_t i = 0; i < count; i++) {
    unsigned opens_as;
    ol_password password = options->password_count ? options->passwords[i] : empty;
    ol_handler_status status = ol_handler_authenticate(entries, password, &opens_as, crypt->key);
    if (status == OL_HANDLER_WRONG_PASSWORD) continue;
    return status == OL_HANDLER_OK &&
           (entries->revision < 5 || ol_handler_perms_agree(entries, crypt->key));
  }
  return false;
}

bool ol_crypt_read(ol_crypt *crypt, const uint8_t *dict, const uint8_t *end, const uint8_t *id,
                   size_t id_length, const ol_pdf_options *options) {
  range d = {dict, end};
  ol_handler_entries entries = {.id = id, .id_length = id_length};
  ol_pair filter;
  int64_t v;
  memset(crypt, 0, sizeof *crypt);
  if (!ol_pair_find(dict, end, "Filter", &filter) || !ol_name_is(&filter.value, "Standard") ||
      !read_versions(d, &v, &entries) || !read_entries(d, &entries) ||
      !find_boolean(d, "EncryptMetadata", true, &crypt->encrypt_metadata)) {
    return false;
  }
  entries.encrypt_metadata = crypt->encrypt_metadata;
  if (v < 4) {
    crypt->strings = crypt->streams = crypt->attachments = OL_CRYPT_RC4;
    crypt->encrypt_metadata = true;
  } else if (!read_filters(crypt, d, v) ||
             !find_method(crypt, d, "StmF", OL_CRYPT_NONE, &crypt->streams) ||
             !find_method(crypt, d, "StrF", OL_CRYPT_NONE, &crypt->strings) ||
             !find_method(crypt, d, "EFF", crypt->streams, &crypt->attachments)) {
    return false;
  }
  return authenticate(crypt, &entries, options) && prepare_digest(crypt);
}

/* What each cipher's dictionary says; `cfm` only from V4 on. */
typedef struct {
  int v, r, key_bytes;
  const char *cfm;
  ol_crypt_method method;
} recipe;

static recipe choose_recipe(const ol_pdf_options *options) {
  switch (options->cipher) {
    case OL_PDF_CIPHER_AES_256:
      return (recipe){5, 6, 32, "AESV3", OL_CRYPT_AESV3};
    case OL_PDF_CIPHER_AES_128:
      return (recipe){4, 4, 16, "AESV2", OL_CRYPT_AESV2};
    case OL_PDF_CIPHER_RC4_128:
      if (!options->encrypt_metadata) return (recipe){4, 4, 16, "V2", OL_CRYPT_RC4};
      return (recipe){2, 3, 16, NULL, OL_CRYPT_RC4};
    default:
      return (recipe){1, 2, 5, NULL, OL_CRYPT_RC4};
  }
}

static char *put_hex(char *out, const char *name, const uint8_t *bytes, size_t length) {
  static const char digits[] = "0123456789abcdef";
  out += sprintf(out, " /%s <", name);
  for (size_t i = 0; i < length; i++) {
    *out++ = digits[bytes[i] >> 4];
    *out++ = digits[bytes[i] & 15];
  }
  *out++ = '>';
  return out;
}

static size_t write_dict(const recipe *recipe, const ol_handler_entries *entries, char *dict) {
  size_t size = recipe->r == 6 ? 48 : 32;
  char *o = dict;
  o += sprintf(o, "<< /Filter /Standard /V %d /R %d /Length %d /P %ld", recipe->v, recipe->r,
               recipe->key_bytes * 8, (long)entries->p);
  o = put_hex(o, "O", entries->o, size);
  o = put_hex(o, "U", entries->u, size);
  if (recipe->r == 6) {
    o = put_hex(o, "OE", entries->oe, 32);
    o = put_hex(o, "UE", entries->ue, 32);
    o = put_hex(o, "Perms", entries->perms, 16);
  }
  if (recipe->cfm) {
    o += sprintf(o,
                 " /CF << /StdCF << /Type /CryptFilter /AuthEvent /DocOpen /CFM /%s /Length %d >> "
                 ">> /StmF /StdCF /StrF /StdCF",
                 recipe->cfm, recipe->key_bytes);
    if (!entries->encrypt_metadata) o += sprintf(o, " /EncryptMetadata false");
  }
  o += sprintf(o, " >>");
  return (size_t)(o - dict);
}

bool ol_crypt_create(ol_crypt *crypt, const ol_pdf_options *options, const uint8_t *id,
                     size_t id_length, char *dict, size_t *dict_length) {
  recipe recipe = choose_recipe(options);
  ol_handler_entries entries = {.revision = recipe.r,
                                .key_bytes = recipe.key_bytes,
                                .p = options->p,
                                .encrypt_metadata = options->encrypt_metadata,
                                .id = id,
                                .id_length = id_length};
  memset(crypt, 0, sizeof *crypt);
  if (ol_handler_create(&entries, options->user_password, options->owner_password, crypt->key) !=
      OL_HANDLER_OK) {
    return false;
  }
  crypt->key_bytes = (size_t)recipe.key_bytes;
  crypt->encrypt_metadata = options->encrypt_metadata;
  crypt->strings = crypt->streams = crypt->attachments = recipe.method;
  *dict_length = write_dict(&recipe, &entries, dict);
  return prepare_digest(crypt);
}

bool ol_crypt_object_key(ol_crypt *crypt, ol_crypt_method method, uint32_t number,
                         uint16_t generation, uint8_t key[OL_HANDLER_KEY_MAX], size_t *key_bytes) {
  uint8_t tail[9] = {(uint8_t)number,
                     (uint8_t)(number >> 8),
                     (uint8_t)(number >> 16),
                     (uint8_t)generation,
                     (uint8_t)(generation >> 8),
                     's',
                     'A',
                     'l',
                     'T'};
  size_t size = crypt->key_bytes + 5;
  if (method == OL_CRYPT_AESV3) {
    memcpy(key, crypt->key, 32);
    *key_bytes = 32;
    return true;
  }
  if (!crypt->digest || !EVP_DigestInit_ex2(crypt->digest, crypt->md5, NULL) ||
      !EVP_DigestUpdate(crypt->digest, crypt->key, crypt->key_bytes) ||
      !EVP_DigestUpdate(crypt->digest, tail, method == OL_CRYPT_AESV2 ? 9 : 5) ||
      !EVP_DigestFinal_ex(crypt->digest, key, NULL)) {
    return false;
  }
  *key_bytes = size < 16 ? size : 16;
  return true;
}

void ol_crypt_free(ol_crypt *crypt) {
  EVP_MD_CTX_free(crypt->digest);
  EVP_MD_free(crypt->md5);
  OPENSSL_cleanse(crypt, sizeof *crypt);
}

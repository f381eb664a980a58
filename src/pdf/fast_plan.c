#include "fast_plan.h"

#include <openssl/crypto.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fast_decode.h"
#include "lanes.h"
#include "rc4.h"

bool ol_text_add(ol_text *text, const void *bytes, size_t length) {
  if (length > text->capacity - text->length) {
    size_t capacity = text->capacity * 2 > text->length + length ? text->capacity * 2
                                                                 : text->length + length + 256;
    uint8_t *grown = realloc(text->bytes, capacity);
    if (!grown) return false;
    text->bytes = grown;
    text->capacity = capacity;
  }
  if (length) memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  return true;
}

bool ol_text_print(ol_text *text, const char *format, ...) {
  char line[256];
  va_list arguments;
  int length;
  va_start(arguments, format);
  length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return length >= 0 && (size_t)length < sizeof line && ol_text_add(text, line, (size_t)length);
}

bool ol_edit_add(ol_plan *plan, size_t first, ol_edit edit) {
  ol_edit_list *list = &plan->edits;
  size_t i, kept = first;
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? list->capacity * 2 : 256;
    ol_edit *items = realloc(list->items, capacity * sizeof *items);
    if (!items) return false;
    list->items = items;
    list->capacity = capacity;
  }
  if (!edit.string) {
    for (i = first; i < list->count; i++) {
      const ol_edit *old = &list->items[i];
      if (old->at < edit.at || old->end > edit.end) {
        list->items[kept++] = *old;
      } else if (!old->string) {
        return false;
      }
    }
    list->count = kept;
  }
  for (i = list->count; i > first && list->items[i - 1].at > edit.at; i--) {
    list->items[i] = list->items[i - 1];
  }
  list->items[i] = edit;
  list->count++;
  return true;
}

bool ol_edit_add_text(ol_plan *plan, size_t first, uint32_t at, uint32_t end, const char *text) {
  size_t length = strlen(text), start = plan->texts.length;
  ol_edit edit = {at, end, (uint32_t)length, (uint32_t)start, false};
  return start < UINT32_MAX - length && ol_text_add(&plan->texts, text, length) &&
         ol_edit_add(plan, first, edit);
}

static const EVP_CIPHER *cipher_of(const ol_plan *plan, ol_crypt_method method) {
  return method == OL_CRYPT_AESV3 ? plan->aes256 : plan->aes128;
}

bool ol_plan_plain_length(ol_plan *plan, ol_crypt_method method, const uint8_t *key,
                          uint64_t length, const uint8_t *last, uint64_t *plain) {
  uint8_t block[16];
  int n;
  *plain = length;
  if (method == OL_CRYPT_NONE || method == OL_CRYPT_RC4 || length == 0) return true;
  if (length < 32 || length % 16) return false;
  if (!EVP_DecryptInit_ex2(plan->cipher, cipher_of(plan, method), key, last, NULL) ||
      !EVP_CIPHER_CTX_set_padding(plan->cipher, 0) ||
      !EVP_DecryptUpdate(plan->cipher, block, &n, last + 16, 16)) {
    return false;
  }
  uint8_t pad = block[15];
  if (pad == 0 || pad > 16) return false;
  for (int i = 16 - pad; i < 15; i++) {
    if (block[i] != pad) return false;
  }
  *plain = length - 16 - pad;
  OPENSSL_cleanse(block, sizeof block);
  return true;
}

bool ol_plan_decrypt(ol_plan *plan, ol_crypt_method method, uint32_t number, uint16_t generation,
                     const uint8_t *data, size_t length, uint8_t *out, size_t *out_length) {
  uint8_t key[OL_HANDLER_KEY_MAX];
  size_t key_bytes;
  uint64_t plain;
  int n;
  bool ok = false;
  *out_length = length;
  if (method == OL_CRYPT_NONE || length == 0) {
    if (length) memcpy(out, data, length);
    return true;
  }
  if (!ol_crypt_object_key(&plan->read, method, number, generation, key, &key_bytes)) return false;
  if (method == OL_CRYPT_RC4) {
    ol_rc4 rc4;
    ol_rc4_init(&rc4, key, key_bytes);
    ol_rc4_apply(&rc4, data, out, length);
    OPENSSL_cleanse(&rc4, sizeof rc4);
    ok = true;
    goto done;
  }
  if (length > OL_BODY_MAX ||
      !ol_plan_plain_length(plan, method, key, length, data + (length < 32 ? 0 : length - 32),
                            &plain) ||
      !EVP_DecryptInit_ex2(plan->cipher, cipher_of(plan, method), key, data, NULL) ||
      !EVP_CIPHER_CTX_set_padding(plan->cipher, 0) ||
      !EVP_DecryptUpdate(plan->cipher, out, &n, data + 16, (int)(length - 16))) {
    goto done;
  }
  *out_length = (size_t)plain;
  ok = true;
done:
  OPENSSL_cleanse(key, sizeof key);
  return ok;
}

static int compare_integers(const void *a, const void *b) {
  uint32_t x = ((const ol_packed_integer *)a)->number, y = ((const ol_packed_integer *)b)->number;
  return (x > y) - (x < y);
}

bool ol_plan_integer(ol_plan *plan, int64_t number, uint16_t generation, int64_t *value) {
  ol_walk_options options = {0};
  ol_walk walk;
  const uint8_t *bytes;
  int64_t found, found_generation;
  uint64_t body;
  if ((uint64_t)number >= plan->xref.size) return false;
  const ol_xref_entry *entry = &plan->xref.entries[number];
  if (entry->type == OL_XREF_PACKED) {
    ol_packed_integer key = {(uint32_t)number, 0}, *hit;
    if (generation != 0 || plan->integer_count == 0) return false;
    hit = bsearch(&key, plan->integers, plan->integer_count, sizeof key, compare_integers);
    if (hit) *value = hit->value;
    return hit != NULL;
  }
  if (entry->type != OL_XREF_PLAIN || entry->extra != generation ||
      !ol_object_header_read(&plan->source, entry->where, &found, &found_generation, &body) ||
      found != number || found_generation != generation ||
      !ol_body_walk(&plan->source, body, plan->source.size, &options, &walk, &bytes)) {
    return false;
  }
  *value = walk.integer;
  return walk.type == OL_VALUE_INTEGER && !walk.stream;
}

static int compare_places(const void *a, const void *b) {
  uint64_t x = ((const ol_planned *)a)->at, y = ((const ol_planned *)b)->at;
  return (x > y) - (x < y);
}

static bool list_objects(ol_plan *plan) {
  size_t count = 0;
  bool sorted = true;
  for (size_t i = 1; i < plan->xref.size; i++) {
    count += plan->xref.entries[i].type == OL_XREF_PLAIN;
  }
  plan->objects = calloc(count + 1, sizeof *plan->objects);
  if (!plan->objects) return false;
  for (size_t i = 1; i < plan->xref.size; i++) {
    const ol_xref_entry *entry = &plan->xref.entries[i];
    if (entry->type != OL_XREF_PLAIN) continue;
    ol_planned *object = &plan->objects[plan->count++];
    object->at = entry->where;
    object->number = (uint32_t)i;
    object->generation = (uint16_t)entry->extra;
    if (plan->count > 1 && object[-1].at >= object->at) sorted = false;
  }
  if (!sorted) qsort(plan->objects, plan->count, sizeof *plan->objects, compare_places);
  return true;
}

/* The first part of /ID, from the trailer; a new one where there is none. */
static bool read_id(ol_plan *plan) {
  const ol_entry *entry = &plan->xref.trailer_walk.entries[OL_KEY_ID];
  const uint8_t *p = plan->xref.trailer + entry->at, *end = plan->xref.trailer + entry->end;
  ol_token first, second, close;
  if (entry->type == OL_VALUE_NONE) return true;
  if (entry->type != OL_VALUE_ARRAY) return false;
  ol_token_read(p + 1, end, &first);
  if (first.type != OL_TOKEN_STRING) return false;
  ol_token_read(first.end, end, &second);
  if (second.type != OL_TOKEN_STRING) return false;
  ol_token_read(second.end, end, &close);
  if (close.type != OL_TOKEN_ARRAY_CLOSE || first.decoded_length > 1024) return false;
  plan->id = malloc(first.decoded_length + 1);
  if (!plan->id) return false;
  plan->id_length = ol_string_decode(first.start, first.end, plan->id);
  return true;
}

static bool read_encryption(ol_plan *plan) {
  const ol_entry *entry = &plan->xref.trailer_walk.entries[OL_KEY_ENCRYPT];
  const uint8_t *bytes = plan->xref.trailer + entry->at, *end = plan->xref.trailer + entry->end;
  plan->read_encrypted = entry->type != OL_VALUE_NONE;
  if (!plan->read_encrypted) return true;
  if (entry->type == OL_VALUE_REFERENCE) {
    ol_walk_options options = {0};
    ol_walk walk;
    int64_t number, generation;
    uint64_t body;
    if ((uint64_t)entry->integer >= plan->xref.size) return false;
    const ol_xref_entry *place = &plan->xref.entries[entry->integer];
    if (place->type != OL_XREF_PLAIN || place->extra != entry->generation ||
        !ol_object_header_read(&plan->source, place->where, &number, &generation, &body) ||
        number != entry->integer || generation != entry->generation ||
        !ol_body_walk(&plan->source, body, plan->source.size, &options, &walk, &bytes) ||
        walk.type != OL_VALUE_DICT || walk.stream) {
      return false;
    }
    plan->encrypt_number = (uint32_t)number;
    end = bytes + walk.end;
    bytes += walk.value_at;
  } else if (entry->type != OL_VALUE_DICT) {
    return false;
  }
  if (!ol_crypt_read(&plan->read, bytes, end, plan->id, plan->id_length, plan->options)) {
    return false;
  }
  if (plan->read.attachments == plan->read.streams) return true;
  plan->attachments = malloc(OL_OBJECT_EF_MAX * sizeof *plan->attachments);
  return plan->attachments != NULL;
}

static bool read_version(ol_plan *plan) {
  const uint8_t *p;
  size_t available;
  if (!ol_source_view(&plan->source, 0, 16, &p, &available) || available < 9 ||
      memcmp(p, "%PDF-", 5) != 0 || p[6] != '.' || !(ol_char_class[p[8]] & OL_CHAR_SPACE)) {
    return false;
  }
  plan->version = (unsigned)(p[5] - '0') * 10 + (unsigned)(p[7] - '0');
  return (p[5] == '1' && p[7] >= '0' && p[7] <= '7') || plan->version == 20;
}

static void raise_version(ol_plan *plan) {
  static const unsigned least[] = {[OL_PDF_CIPHER_NONE] = 10,
                                   [OL_PDF_CIPHER_AES_256] = 17,
                                   [OL_PDF_CIPHER_AES_128] = 16,
                                   [OL_PDF_CIPHER_RC4_128] = 14,
                                   [OL_PDF_CIPHER_RC4_40] = 13};
  const ol_pdf_options *options = plan->options;
  unsigned version = least[options->cipher];
  if (options->cipher == OL_PDF_CIPHER_RC4_128 && !options->encrypt_metadata) version = 15;
  if (options->minimum_version > (int)version) version = (unsigned)options->minimum_version;
  if (plan->xref.packed && version < 15) version = 15;
  if (version > plan->version) plan->version = version;
  plan->extension = options->cipher == OL_PDF_CIPHER_AES_256 && plan->version < 20;
}

static bool fetch_ciphers(ol_plan *plan) {
  plan->aes128 = EVP_CIPHER_fetch(NULL, "AES-128-CBC", NULL);
  plan->aes256 = EVP_CIPHER_fetch(NULL, "AES-256-CBC", NULL);
  plan->cipher = EVP_CIPHER_CTX_new();
  return plan->aes128 && plan->aes256 && plan->cipher;
}

/* What the trailer must say, and what it must not. */
static bool check_trailer(ol_plan *plan) {
  const ol_xref *xref = &plan->xref;
  const ol_entry *root = &xref->trailer_walk.entries[OL_KEY_ROOT];
  const ol_entry *id = &xref->trailer_walk.entries[OL_KEY_ID];
  const ol_entry *encrypt = &xref->trailer_walk.entries[OL_KEY_ENCRYPT];
  ol_plan_note(plan, &xref->trailer_walk);
  if (root->type != OL_VALUE_REFERENCE || (uint64_t)root->integer >= xref->size) return false;
  for (size_t i = 0; i < xref->trailer_strings.count; i++) {
    const ol_string_at *string = &xref->trailer_strings.items[i];
    bool in_id = id->type != OL_VALUE_NONE && string->at >= id->at && string->end <= id->end;
    bool in_encrypt =
        encrypt->type != OL_VALUE_NONE && string->at >= encrypt->at && string->end <= encrypt->end;
    /* Whether other strings of a trailer are encrypted, readers do not agree. */
    if (!in_id && !in_encrypt) return false;
  }
  return true;
}

static bool is_cancelled(const ol_plan *plan) {
  return ol_is_set(plan->options->cancel);
}

static bool plan_objects(ol_plan *plan) {
  uint64_t polled = 0;
  for (size_t i = 0; i < plan->count; i++) {
    uint64_t limit = i + 1 < plan->count ? plan->objects[i + 1].at : plan->source.size;
    if (plan->objects[i].at >= limit) return false;
    if (i % 256 == 0 || limit - polled > 1 << 18) {
      if (is_cancelled(plan)) return false;
      polled = limit;
    }
    if (!ol_plan_object(plan, &plan->objects[i], limit)) return false;
  }
  return plan->catalog_seen;
}

bool ol_plan_make(ol_plan *plan, const ol_pdf_options *options) {
  static const ol_crypt_method methods[] = {[OL_PDF_CIPHER_NONE] = OL_CRYPT_NONE,
                                            [OL_PDF_CIPHER_AES_256] = OL_CRYPT_AESV3,
                                            [OL_PDF_CIPHER_AES_128] = OL_CRYPT_AESV2,
                                            [OL_PDF_CIPHER_RC4_128] = OL_CRYPT_RC4,
                                            [OL_PDF_CIPHER_RC4_40] = OL_CRYPT_RC4};
  plan->options = options;
  plan->write_method = methods[options->cipher];
  return read_version(plan) && fetch_ciphers(plan) && ol_xref_read(&plan->xref, &plan->source) &&
         check_trailer(plan) && read_id(plan) && read_encryption(plan) && list_objects(plan) &&
         (raise_version(plan), true) && ol_plan_packed(plan) && ol_plan_attachments(plan) &&
         plan_objects(plan) && !is_cancelled(plan) && ol_plan_layout(plan);
}

void ol_plan_free(ol_plan *plan) {
  if (plan->clear.bytes) OPENSSL_cleanse(plan->clear.bytes, plan->clear.capacity);
  if (plan->decoded.bytes) OPENSSL_cleanse(plan->decoded.bytes, plan->decoded.capacity);
  if (plan->catalog.bytes) OPENSSL_cleanse(plan->catalog.bytes, plan->catalog.capacity);
  free(plan->clear.bytes);
  free(plan->decoded.bytes);
  free(plan->catalog.bytes);
  free(plan->objects);
  free(plan->edits.items);
  free(plan->texts.bytes);
  free(plan->strings.items);
  free(plan->integers);
  free(plan->attachments);
  free(plan->id);
  free(plan->head.bytes);
  free(plan->tail.bytes);
  EVP_CIPHER_free(plan->aes128);
  EVP_CIPHER_free(plan->aes256);
  EVP_CIPHER_CTX_free(plan->cipher);
  ol_crypt_free(&plan->read);
  ol_crypt_free(&plan->write);
  ol_xref_free(&plan->xref);
  ol_source_close(&plan->source);
}

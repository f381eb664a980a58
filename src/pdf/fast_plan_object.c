#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fast_plan.h"
#include "lanes.h"

typedef struct {
  const uint8_t *start; /* The object's first byte; what follows is readable to the body's end. */
  uint32_t header;      /* Length of `number generation obj`. */
  ol_walk walk;
  size_t first_edit;
} subject;

/* Catalog: Adobe's extension level 8 over 1.7 is what revision 6 needs below PDF 2.0. */
static bool plan_extension(ol_plan *plan, const uint8_t *start, uint32_t body, const ol_walk *walk,
                           size_t first_edit) {
  static const char adbe[] = "/ADBE<</BaseVersion/1.7/ExtensionLevel 8>>";
  const ol_entry *entry = &walk->entries[OL_KEY_EXTENSIONS];
  const uint8_t *p = start + body + entry->at, *end = start + body + entry->end;
  ol_pair pair, level;
  char text[96];
  if (entry->type == OL_VALUE_NONE) {
    uint32_t at = body + walk->value_at + 2;
    snprintf(text, sizeof text, "/Extensions<<%s>>", adbe);
    return ol_edit_add_text(plan, first_edit, at, at, text);
  }
  if (entry->type != OL_VALUE_DICT) return false;
  if (!ol_pair_find(p, end, "ADBE", &pair)) {
    uint32_t at = body + entry->at + 2;
    return ol_edit_add_text(plan, first_edit, at, at, adbe);
  }
  if (pair.value.type != OL_TOKEN_DICT_OPEN ||
      !ol_pair_find(pair.value.start, pair.end, "ExtensionLevel", &level) || level.reference ||
      level.value.type != OL_TOKEN_INTEGER) {
    return false;
  }
  if (level.value.integer >= 8) return true;
  return ol_edit_add_text(plan, first_edit, (uint32_t)(pair.key.start - start),
                          (uint32_t)(pair.end - start), adbe);
}

bool ol_plan_catalog(ol_plan *plan, const uint8_t *start, uint32_t body, const ol_walk *walk,
                     size_t first_edit) {
  const ol_entry *pages = &walk->entries[OL_KEY_PAGES];
  if (walk->type != OL_VALUE_DICT || walk->stream ||
      !ol_entry_is_name(start + body, &walk->entries[OL_KEY_TYPE], "Catalog") ||
      pages->type != OL_VALUE_REFERENCE || (uint64_t)pages->integer >= plan->xref.size ||
      plan->xref.entries[pages->integer].type < OL_XREF_PLAIN) {
    return false;
  }
  plan->catalog_seen = true;
  return !plan->extension || plan_extension(plan, start, body, walk, first_edit);
}

/* The name that a /Crypt filter's parameters give; Identity if they give none. */
static bool filter_method(ol_plan *plan, const uint8_t *p, const uint8_t *end,
                          ol_crypt_method *method) {
  ol_pair pair;
  *method = OL_CRYPT_NONE;
  if (!plan->read_encrypted || !p || !ol_pair_find(p, end, "Name", &pair)) return true;
  return pair.value.type == OL_TOKEN_NAME && ol_crypt_find(&plan->read, &pair.value, method);
}

/* Whether /Crypt stands anywhere among filters. */
static bool names_crypt(const uint8_t *body, const ol_entry *entry) {
  const uint8_t *end = body + entry->end;
  ol_token token = {.end = body + entry->at};
  if (entry->type != OL_VALUE_NAME && entry->type != OL_VALUE_ARRAY) return false;
  while (token.end < end) {
    /* A name at the value's very end looks cut, but the byte behind it is readable. */
    ol_token_read(token.end, end + 1, &token);
    if (ol_name_is(&token, "Crypt")) return true;
    if (token.type == OL_TOKEN_BAD || token.type == OL_TOKEN_CUT) return false;
  }
  return false;
}

static bool remove_entry(ol_plan *plan, size_t first_edit, uint32_t base, const ol_entry *entry) {
  return entry->type == OL_VALUE_NONE ||
         ol_edit_add_text(plan, first_edit, base + entry->key_at, base + entry->end, "");
}

/* [/Crypt …]: takes the first element out of the filters and out of their parameters. */
static bool plan_filter_array(ol_plan *plan, const uint8_t *body, uint32_t base,
                              const ol_walk *walk, size_t first_edit, ol_crypt_method *method) {
  const ol_entry *filter = &walk->entries[OL_KEY_FILTER];
  const ol_entry *parms = &walk->entries[OL_KEY_DECODE_PARMS];
  ol_token name, first;
  ol_token_read(body + filter->at + 1, body + filter->end, &name);
  if (!ol_name_is(&name, "Crypt")) return false;
  ol_entry rest = *filter;
  rest.at = (uint32_t)(name.end - body);
  if (names_crypt(body, &rest)) return false;
  if (!ol_edit_add_text(plan, first_edit, base + (uint32_t)(name.start - body),
                        base + (uint32_t)(name.end - body), "")) {
    return false;
  }
  if (parms->type == OL_VALUE_NONE) return filter_method(plan, NULL, NULL, method);
  if (parms->type != OL_VALUE_ARRAY) return false;
  /* Whole pairs are what ol_pair_next steps over, so the first element is found by a walk. */
  ol_walk_options options = {.value_only = true};
  ol_walk inner;
  ol_token_read(body + parms->at + 1, body + parms->end, &first);
  if (first.type != OL_TOKEN_DICT_OPEN && !ol_token_is(&first, "null")) return false;
  if (ol_object_walk(first.start, (size_t)(body + parms->end - first.start), &options, &inner) !=
      OL_WALK_OK) {
    return false;
  }
  const uint8_t *end = first.start + inner.end;
  bool dict = first.type == OL_TOKEN_DICT_OPEN;
  if (!filter_method(plan, dict ? first.start : NULL, end, method)) return false;
  return ol_edit_add_text(plan, first_edit, base + (uint32_t)(first.start - body),
                          base + (uint32_t)(end - body), "");
}

bool ol_plan_filter(ol_plan *plan, const uint8_t *body, uint32_t base, const ol_walk *walk,
                    size_t first_edit, ol_crypt_method *method, bool *given) {
  const ol_entry *filter = &walk->entries[OL_KEY_FILTER];
  const ol_entry *parms = &walk->entries[OL_KEY_DECODE_PARMS];
  *given = false;
  if (filter->type == OL_VALUE_NONE || !names_crypt(body, filter)) {
    return filter->type == OL_VALUE_NONE || filter->type == OL_VALUE_NAME ||
           filter->type == OL_VALUE_ARRAY;
  }
  *given = true;
  if (filter->type == OL_VALUE_ARRAY) {
    return plan_filter_array(plan, body, base, walk, first_edit, method);
  }
  if (parms->type != OL_VALUE_NONE && parms->type != OL_VALUE_DICT) return false;
  bool has = parms->type == OL_VALUE_DICT;
  return filter_method(plan, has ? body + parms->at : NULL, body + parms->end, method) &&
         remove_entry(plan, first_edit, base, filter) &&
         remove_entry(plan, first_edit, base, parms);
}

/* Behind the data: white space, endstream, endobj. Nothing else, and nothing in between. */
static bool plan_tail(ol_plan *plan, ol_planned *object, uint64_t at, uint64_t limit) {
  for (size_t want = 64; want <= 1 << 16; want *= 8) {
    const uint8_t *p, *start;
    size_t available;
    ol_token token;
    if (!ol_source_view(&plan->source, at, want, &start, &available)) return false;
    if (available > limit - at) available = (size_t)(limit - at);
    for (p = start; p < start + available && (ol_char_class[*p] & OL_CHAR_SPACE);)
      p++;
    ol_token_read(p, start + available, &token);
    if (ol_token_is(&token, "endstream")) {
      ol_token_read(token.end, start + available, &token);
      object->tail_length = (uint32_t)(token.end - start);
      if (ol_token_is(&token, "endobj")) return true;
    }
    if (token.type != OL_TOKEN_CUT || available == limit - at) return false;
  }
  return false;
}

/* /H of a linearized file's first object says where its hint streams are. */
static void note_hints(ol_plan *plan, const subject *s) {
  const uint8_t *body = s->start + s->header;
  const ol_entry *entry = &s->walk.entries[OL_KEY_H];
  const uint8_t *p = body + entry->at + 1, *end = body + entry->end;
  ol_token token;
  for (int i = 0; i < 4 && entry->type == OL_VALUE_ARRAY; i++, p = token.end) {
    ol_token_read(p, end, &token);
    if (token.type != OL_TOKEN_INTEGER || token.integer < 0) return;
    if (i % 2 == 0) plan->hints[i / 2] = (uint64_t)token.integer;
  }
}

static bool is_hint_stream(const ol_plan *plan, const ol_planned *object, const subject *s) {
  const uint8_t *body = s->start + s->header;
  ol_pair pair;
  return (object->at == plan->hints[0] || object->at == plan->hints[1]) &&
         ol_pair_find(body + s->walk.value_at, body + s->walk.end, "S", &pair) &&
         pair.value.type == OL_TOKEN_INTEGER;
}

static bool plain_string(ol_plan *plan, const ol_planned *object, const subject *s,
                         const ol_string_at *string, const uint8_t *key, uint64_t *plain) {
  const uint8_t *start = s->start + s->header;
  uint8_t *bytes, small[256];
  bool ok;
  *plain = string->decoded_length;
  if (object->read_strings == OL_CRYPT_NONE || object->read_strings == OL_CRYPT_RC4 ||
      string->decoded_length == 0) {
    return true;
  }
  if (string->decoded_length < 32) return false;
  bytes = string->decoded_length <= sizeof small ? small : malloc(string->decoded_length);
  if (!bytes) return false;
  ol_string_decode(start + string->at, start + string->end, bytes);
  ok = ol_plan_plain_length(plan, object->read_strings, key, string->decoded_length,
                            bytes + string->decoded_length - 32, plain);
  if (bytes != small) free(bytes);
  return ok;
}

static bool plan_strings(ol_plan *plan, ol_planned *object, const subject *s) {
  uint8_t key[OL_HANDLER_KEY_MAX];
  size_t key_bytes;
  bool ok = true;
  object->read_strings = plan->read_encrypted ? plan->read.strings : OL_CRYPT_NONE;
  object->write_strings = plan->write_method;
  if (plan->strings.count == 0) return true;
  if (object->read_strings == OL_CRYPT_NONE && object->write_strings == OL_CRYPT_NONE) return true;
  if (object->read_strings >= OL_CRYPT_AESV2 &&
      !ol_crypt_object_key(&plan->read, object->read_strings, object->number, object->generation,
                           key, &key_bytes)) {
    return false;
  }
  for (size_t i = 0; ok && i < plan->strings.count; i++) {
    const ol_string_at *string = &plan->strings.items[i];
    uint64_t plain;
    ok = plain_string(plan, object, s, string, key, &plain);
    if (!ok) break;
    ol_edit edit = {s->header + string->at, s->header + string->end, string->decoded_length,
                    (uint32_t)plain, true};
    ok = ol_edit_add(plan, plan->edits.count, edit);
  }
  OPENSSL_cleanse(key, sizeof key);
  return ok;
}

static bool plan_data(ol_plan *plan, ol_planned *object, const subject *s, uint64_t data_at) {
  uint8_t key[OL_HANDLER_KEY_MAX], last[32];
  size_t key_bytes;
  const ol_entry *length = &s->walk.entries[OL_KEY_LENGTH];
  uint64_t out;
  char number[24];
  if (object->read_data >= OL_CRYPT_AESV2 && object->data_length != 0) {
    if (object->data_length < 32 ||
        !ol_source_read(&plan->source, data_at + object->data_length - 32, 32, last) ||
        !ol_crypt_object_key(&plan->read, object->read_data, object->number, object->generation,
                             key, &key_bytes)) {
      return false;
    }
  }
  bool ok = ol_plan_plain_length(plan, object->read_data, key, object->data_length, last,
                                 &object->plain_length);
  OPENSSL_cleanse(key, sizeof key);
  if (!ok) return false;
  out = ol_crypt_length(object->write_data, object->plain_length);
  if (out == object->data_length) return true;
  snprintf(number, sizeof number, "%llu", (unsigned long long)out);
  return ol_edit_add_text(plan, s->first_edit, s->header + length->at, s->header + length->end,
                          number);
}

static int compare_references(const void *a, const void *b) {
  uint32_t x = ((const ol_reference *)a)->number, y = ((const ol_reference *)b)->number;
  return (x > y) - (x < y);
}

/* Whether /EF refers to the object. One that only calls itself an attachment is for libqpdf. */
static bool find_attachment(const ol_plan *plan, const ol_planned *object, const subject *s,
                            bool *attachment) {
  ol_reference key = {object->number, 0};
  *attachment = false;
  if (!plan->attachments_known) return true;
  if (bsearch(&key, plan->attachments, plan->attachment_count, sizeof key, compare_references)) {
    *attachment = true;
  }
  return *attachment ||
         !ol_entry_is_name(s->start + s->header, &s->walk.entries[OL_KEY_TYPE], "EmbeddedFile");
}

/* How the data is enciphered now and will be, from what the dictionary says. */
static bool choose_methods(ol_plan *plan, ol_planned *object, const subject *s) {
  const uint8_t *body = s->start + s->header;
  ol_crypt_method filter = OL_CRYPT_NONE;
  bool given, attachment;
  bool metadata = ol_entry_is_name(body, &s->walk.entries[OL_KEY_TYPE], "Metadata");
  if (!ol_plan_filter(plan, body, s->header, &s->walk, s->first_edit, &filter, &given)) {
    return false;
  }
  if (!find_attachment(plan, object, s, &attachment)) return false;
  object->read_data = OL_CRYPT_NONE;
  if (plan->read_encrypted) {
    object->read_data = given                                      ? filter
                        : metadata && !plan->read.encrypt_metadata ? OL_CRYPT_NONE
                        : attachment                               ? plan->read.attachments
                                                                   : plan->read.streams;
  }
  object->write_data = plan->write_method;
  if (metadata && !plan->options->encrypt_metadata) object->write_data = OL_CRYPT_NONE;
  return true;
}

static bool plan_stream(ol_plan *plan, ol_planned *object, const subject *s, uint64_t limit) {
  const ol_entry *entry = &s->walk.entries[OL_KEY_LENGTH];
  int64_t length = entry->integer;
  uint64_t data_at = object->at + object->body_length;
  if (s->walk.entries[OL_KEY_F].type != OL_VALUE_NONE ||
      s->walk.entries[OL_KEY_F_FILTER].type != OL_VALUE_NONE ||
      s->walk.entries[OL_KEY_F_DECODE_PARMS].type != OL_VALUE_NONE) {
    return false;
  }
  object->dropped |= is_hint_stream(plan, object, s);
  if (!object->dropped && !choose_methods(plan, object, s)) return false;
  if (entry->type == OL_VALUE_REFERENCE) {
    if (!ol_plan_integer(plan, entry->integer, entry->generation, &length)) return false;
  } else if (entry->type != OL_VALUE_INTEGER) {
    return false;
  }
  if (length < 0 || data_at >= limit || (uint64_t)length > limit - data_at) return false;
  object->data_length = (uint64_t)length;
  return plan_tail(plan, object, data_at + (uint64_t)length, limit) &&
         (object->dropped || plan_data(plan, object, s, data_at));
}

bool ol_plan_measure(ol_plan *plan, ol_planned *object) {
  uint64_t out = object->body_length;
  if (object->dropped) plan->edits.count = object->first_edit;
  object->edit_count = (uint32_t)(plan->edits.count - object->first_edit);
  for (size_t i = object->first_edit; i < plan->edits.count; i++) {
    const ol_edit *edit = &plan->edits.items[i];
    out -= edit->end - edit->at;
    out +=
        edit->string ? 2 + 2 * ol_crypt_length(object->write_strings, edit->plain) : edit->length;
  }
  object->body_out = (uint32_t)out;
  return out <= 5u * OL_BODY_MAX;
}

/*
 * Between this walk's bytes and the next view of the source only what was noted may be used, so
 * everything that looks at the body comes before the stream's length is resolved elsewhere.
 */
static bool walk_subject(ol_plan *plan, ol_planned *object, subject *s, uint64_t limit) {
  ol_walk_options options = {.strings = &plan->strings,
                             .attachments = plan->attachments_known ? NULL : plan->attachments,
                             .attachment_count = &plan->attachment_count};
  int64_t number, generation;
  uint64_t body;
  const uint8_t *bytes;
  size_t available;
  if (!ol_object_header_read(&plan->source, object->at, &number, &generation, &body) ||
      number != object->number || generation != object->generation) {
    return false;
  }
  plan->strings.count = 0;
  if (!ol_body_walk(&plan->source, body, limit, &options, &s->walk, &bytes)) return false;
  s->header = (uint32_t)(body - object->at);
  object->body_length = s->header + s->walk.end;
  if (!ol_source_view(&plan->source, object->at, object->body_length, &s->start, &available) ||
      available < object->body_length) {
    return false;
  }
  ol_plan_note(plan, &s->walk);
  return true;
}

bool ol_plan_object(ol_plan *plan, ol_planned *object, uint64_t limit) {
  const ol_entry *root = &plan->xref.trailer_walk.entries[OL_KEY_ROOT];
  subject s = {.first_edit = plan->edits.count};
  object->first_edit = s.first_edit;
  if (!walk_subject(plan, object, &s, limit)) return false;
  if (object->number == plan->encrypt_number) {
    object->dropped = true;
    return !s.walk.stream;
  }
  if (object == plan->objects && s.walk.entries[OL_KEY_LINEARIZED].type != OL_VALUE_NONE &&
      !s.walk.stream) {
    object->dropped = true;
    note_hints(plan, &s);
    return true;
  }
  /* A cross-reference stream and its strings were never encrypted; a new one takes its place. */
  object->dropped =
      s.walk.stream && ol_entry_is_name(s.start + s.header, &s.walk.entries[OL_KEY_TYPE], "XRef");
  if (!object->dropped && !plan_strings(plan, object, &s)) return false;
  if (object->number == root->integer) {
    if (object->generation != root->generation ||
        !ol_plan_catalog(plan, s.start, s.header, &s.walk, s.first_edit)) {
      return false;
    }
  }
  if (s.walk.stream && !plan_stream(plan, object, &s, limit)) return false;
  return ol_plan_measure(plan, object);
}

/* Reads every object once before it is planned, only for what /EF refers to. */
bool ol_plan_attachments(ol_plan *plan) {
  ol_reference *list;
  if (!plan->read_encrypted || plan->read.attachments == plan->read.streams) return true;
  for (size_t i = 0; i < plan->count; i++) {
    uint64_t limit = i + 1 < plan->count ? plan->objects[i + 1].at : plan->source.size;
    subject s;
    if (i % 256 == 0 && ol_is_set(plan->options->cancel)) return false;
    if (!walk_subject(plan, &plan->objects[i], &s, limit)) return false;
  }
  list = plan->attachments;
  qsort(list, plan->attachment_count, sizeof *list, compare_references);
  plan->attachments_known = true;
  return true;
}

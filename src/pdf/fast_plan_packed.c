#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "fast_decode.h"
#include "fast_plan.h"
#include "lanes.h"

/* One object that the cross-reference says is in an object stream. */
typedef struct {
  uint32_t stream, index, number;
} member;

typedef struct {
  uint32_t number;
  uint32_t offset;
} pair;

static int compare_members(const void *a, const void *b) {
  const member *x = a, *y = b;
  if (x->stream != y->stream) return x->stream > y->stream ? 1 : -1;
  return (x->index > y->index) - (x->index < y->index);
}

static int compare_integers(const void *a, const void *b) {
  uint32_t x = ((const ol_packed_integer *)a)->number, y = ((const ol_packed_integer *)b)->number;
  return (x > y) - (x < y);
}

static bool note_integer(ol_plan *plan, uint32_t number, int64_t value) {
  if (plan->integer_count == plan->integer_capacity) {
    size_t capacity = plan->integer_capacity ? plan->integer_capacity * 2 : 64;
    ol_packed_integer *items = realloc(plan->integers, capacity * sizeof *items);
    if (!items) return false;
    plan->integers = items;
    plan->integer_capacity = capacity;
  }
  plan->integers[plan->integer_count++] = (ol_packed_integer){number, value};
  return true;
}

/* The catalog is checked and, where a change to it is due, written again as an object of its own.
 */
static bool take_catalog(ol_plan *plan, uint32_t number, const uint8_t *bytes, size_t length) {
  ol_walk_options options = {.strings = &plan->strings};
  ol_planned *object = &plan->catalog_object;
  ol_walk walk;
  uint32_t header;
  if (!ol_text_print(&plan->catalog, "%u 0 obj\n", (unsigned)number)) return false;
  header = (uint32_t)plan->catalog.length;
  if (!ol_text_add(&plan->catalog, bytes, length) ||
      !ol_text_add(&plan->catalog, "\nendobj\n", 8)) {
    return false;
  }
  plan->strings.count = 0;
  if (ol_object_walk(plan->catalog.bytes + header, plan->catalog.length - header, &options,
                     &walk) != OL_WALK_OK) {
    return false;
  }
  if (!plan->extension) return ol_plan_catalog(plan, plan->catalog.bytes, header, &walk, 0);
  object->number = number;
  object->first_edit = plan->edits.count;
  object->body_length = header + walk.end;
  object->write_strings = (uint8_t)plan->write_method;
  for (size_t i = 0; i < plan->strings.count; i++) {
    const ol_string_at *string = &plan->strings.items[i];
    ol_edit edit = {header + string->at, header + string->end, string->decoded_length,
                    string->decoded_length, true};
    if (!ol_edit_add(plan, plan->edits.count, edit)) return false;
  }
  return ol_plan_catalog(plan, plan->catalog.bytes, header, &walk, object->first_edit) &&
         ol_plan_measure(plan, object);
}

static bool read_pairs(const uint8_t *p, size_t first, size_t count, pair *pairs) {
  const uint8_t *end = p + first;
  ol_token token = {.end = p};
  for (size_t i = 0; i < count; i++) {
    ol_token_read(token.end, end, &token);
    if (token.type != OL_TOKEN_INTEGER || token.integer < 1 ||
        token.integer > OL_XREF_OBJECTS_MAX) {
      return false;
    }
    pairs[i].number = (uint32_t)token.integer;
    ol_token_read(token.end, end, &token);
    /* The last offset may end right where the first object begins. */
    if (token.type == OL_TOKEN_CUT && i + 1 == count) ol_token_read(token.start, end + 1, &token);
    if (token.type != OL_TOKEN_INTEGER || token.integer < 0 || token.integer > OL_DECODED_MAX) {
      return false;
    }
    pairs[i].offset = (uint32_t)token.integer;
  }
  return true;
}

/* The members of one object stream, whose contents are in plan->decoded. */
static bool check_members(ol_plan *plan, const ol_walk *walk, const member *members, size_t count) {
  const ol_entry *root = &plan->xref.trailer_walk.entries[OL_KEY_ROOT];
  int64_t n = walk->entries[OL_KEY_N].integer, first = walk->entries[OL_KEY_FIRST].integer;
  const uint8_t *bytes = plan->decoded.bytes;
  size_t length = plan->decoded.length;
  ol_walk_options options = {.value_only = true,
                             .attachments = plan->attachments,
                             .attachment_count = &plan->attachment_count};
  ol_walk inner;
  bool ok = false;
  pair *pairs;
  if (first < 0 || (uint64_t)first >= length || n < 1 || n > (int64_t)length) return false;
  pairs = malloc((size_t)n * sizeof *pairs);
  if (!pairs || !read_pairs(bytes, (size_t)first, (size_t)n, pairs)) goto done;
  for (size_t i = 0; i < count; i++) {
    const member *m = &members[i];
    if (m->index >= n || pairs[m->index].number != m->number) goto done;
    uint64_t at = (uint64_t)first + pairs[m->index].offset;
    if (at >= length ||
        ol_object_walk(bytes + at, length - (size_t)at, &options, &inner) != OL_WALK_OK) {
      goto done;
    }
    ol_plan_note(plan, &inner);
    if (inner.type == OL_VALUE_INTEGER && !note_integer(plan, m->number, inner.integer)) goto done;
    if (m->number == root->integer) {
      if (root->generation != 0 || !take_catalog(plan, m->number, bytes + at, inner.end)) {
        goto done;
      }
    }
  }
  ok = true;
done:
  free(pairs);
  return ok;
}

/* Room for one byte more than the contents, so that the last token is never cut. */
static bool end_with_space(ol_inflate_buffer *buffer) {
  if (buffer->length == buffer->capacity) {
    uint8_t *bytes = realloc(buffer->bytes, buffer->length + 64);
    if (!bytes) return false;
    buffer->bytes = bytes;
    buffer->capacity = buffer->length + 64;
  }
  buffer->bytes[buffer->length++] = '\n';
  return true;
}

static bool decrypt_and_decode(ol_plan *plan, const member *m, const uint8_t *dict,
                               const ol_walk *walk, const uint8_t *data, size_t length) {
  ol_inflate_buffer *clear = &plan->clear;
  if (plan->read_encrypted && plan->read.streams != OL_CRYPT_NONE) {
    if (clear->capacity < length + 32) {
      uint8_t *bytes = malloc(length + 32);
      if (!bytes) return false;
      if (clear->bytes) OPENSSL_cleanse(clear->bytes, clear->capacity);
      free(clear->bytes);
      clear->bytes = bytes;
      clear->capacity = length + 32;
    }
    if (!ol_plan_decrypt(plan, plan->read.streams, m->stream, 0, data, length, clear->bytes,
                         &length)) {
      return false;
    }
    data = clear->bytes;
  }
  return ol_stream_decode(dict, walk, data, length, &plan->decoded) &&
         end_with_space(&plan->decoded);
}

static bool check_stream(ol_plan *plan, const member *members, size_t count) {
  ol_walk_options options = {0};
  ol_walk walk;
  const uint8_t *bytes, *data;
  uint8_t *dict = NULL;
  size_t available;
  int64_t number, generation, length;
  uint64_t body;
  bool ok = false;
  if (members->stream >= plan->xref.size) return false;
  const ol_xref_entry *entry = &plan->xref.entries[members->stream];
  if (entry->type != OL_XREF_PLAIN || entry->extra != 0 ||
      !ol_object_header_read(&plan->source, entry->where, &number, &generation, &body) ||
      number != members->stream || generation != 0 ||
      !ol_body_walk(&plan->source, body, plan->source.size, &options, &walk, &bytes)) {
    return false;
  }
  const ol_entry *given = &walk.entries[OL_KEY_LENGTH];
  if (!walk.stream || !ol_entry_is_name(bytes, &walk.entries[OL_KEY_TYPE], "ObjStm") ||
      walk.entries[OL_KEY_N].type != OL_VALUE_INTEGER ||
      walk.entries[OL_KEY_FIRST].type != OL_VALUE_INTEGER) {
    return false;
  }
  dict = malloc(walk.end);
  if (!dict) return false;
  memcpy(dict, bytes, walk.end);
  length = given->integer;
  if (given->type == OL_VALUE_REFERENCE) {
    if (plan->xref.size <= (uint64_t)given->integer ||
        plan->xref.entries[given->integer].type != OL_XREF_PLAIN ||
        !ol_plan_integer(plan, given->integer, given->generation, &length)) {
      goto done;
    }
  } else if (given->type != OL_VALUE_INTEGER) {
    goto done;
  }
  if (length < 0 || length > OL_BODY_MAX ||
      !ol_source_view(&plan->source, body + walk.end, (size_t)length, &data, &available) ||
      available < (size_t)length) {
    goto done;
  }
  ok = decrypt_and_decode(plan, members, dict, &walk, data, (size_t)length) &&
       check_members(plan, &walk, members, count);
done:
  free(dict);
  return ok;
}

static bool check_streams(ol_plan *plan, const member *members, size_t count) {
  for (size_t i = 0, n; i < count; i += n) {
    for (n = 1; i + n < count && members[i + n].stream == members[i].stream; n++) {
    }
    if (ol_is_set(plan->options->cancel)) return false;
    if (!check_stream(plan, members + i, n)) return false;
  }
  return true;
}

bool ol_plan_packed(ol_plan *plan) {
  size_t count = 0, n = 0;
  member *members;
  bool ok;
  if (!plan->xref.packed) return true;
  for (size_t i = 1; i < plan->xref.size; i++) {
    count += plan->xref.entries[i].type == OL_XREF_PACKED;
  }
  members = malloc(count * sizeof *members);
  if (!members) return false;
  for (size_t i = 1; i < plan->xref.size; i++) {
    const ol_xref_entry *entry = &plan->xref.entries[i];
    if (entry->type != OL_XREF_PACKED) continue;
    members[n++] = (member){(uint32_t)entry->where, entry->extra, (uint32_t)i};
  }
  qsort(members, count, sizeof *members, compare_members);
  ok = check_streams(plan, members, count);
  free(members);
  if (ok && plan->integer_count > 1) {
    qsort(plan->integers, plan->integer_count, sizeof *plan->integers, compare_integers);
  }
  return ok;
}

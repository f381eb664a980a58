#include "xref.h"

#include <stdlib.h>
#include <string.h>

#include "fast_decode.h"

enum { TAIL = 1024, ENTRY = 20, ENTRIES_AT_ONCE = 3000, STREAM_MAX = 16 << 20 };

typedef struct {
  ol_xref *xref;
  ol_source *source;
  uint64_t visited[OL_XREF_SECTIONS_MAX * 2];
  size_t visited_count;
  size_t number_limit;
  ol_inflate_buffer decoded;
  bool encrypted;       /* Whether the newest trailer has /Encrypt. */
  ol_string_list frees; /* A table's free entries, as runs in `at` and `end`. */
} reader;

bool ol_object_header_read(ol_source *source, uint64_t at, int64_t *number, int64_t *generation,
                           uint64_t *body) {
  const uint8_t *bytes;
  size_t available;
  ol_token token;
  if (!ol_source_view(source, at, 64, &bytes, &available) || available == 0) return false;
  if (!(ol_char_class[*bytes] & OL_CHAR_DIGIT)) return false;
  ol_token_read(bytes, bytes + available, &token);
  if (token.type != OL_TOKEN_INTEGER) return false;
  *number = token.integer;
  ol_token_read(token.end, bytes + available, &token);
  if (token.type != OL_TOKEN_INTEGER) return false;
  *generation = token.integer;
  ol_token_read(token.end, bytes + available, &token);
  if (!ol_token_is(&token, "obj")) return false;
  *body = at + (uint64_t)(token.end - bytes);
  return *number > 0 && *number <= OL_XREF_OBJECTS_MAX && *generation >= 0 && *generation <= 65535;
}

bool ol_body_walk(ol_source *source, uint64_t at, uint64_t limit, const ol_walk_options *options,
                  ol_walk *walk, const uint8_t **bytes) {
  size_t want = 4096, available, count = options->strings ? options->strings->count : 0;
  size_t attachments = options->attachment_count ? *options->attachment_count : 0;
  if (limit > source->size) limit = source->size;
  for (;;) {
    ol_walk_status status;
    if (at >= limit || !ol_source_view(source, at, want, bytes, &available)) return false;
    if (available > limit - at) available = (size_t)(limit - at);
    if (available > OL_BODY_MAX) available = OL_BODY_MAX;
    status = ol_object_walk(*bytes, available, options, walk);
    if (status == OL_WALK_OK) return true;
    if (status != OL_WALK_CUT || available == limit - at || available == OL_BODY_MAX) return false;
    if (options->strings) options->strings->count = count;
    if (options->attachment_count) *options->attachment_count = attachments;
    want = available * 4;
  }
}

/* False for numbers that no honest document of this size has, and without memory. */
static bool reserve(reader *r, int64_t number) {
  ol_xref *x = r->xref;
  if (number < 0 || (uint64_t)number >= r->number_limit) return false;
  if ((size_t)number >= x->capacity) {
    size_t capacity = x->capacity ? x->capacity : 256;
    ol_xref_entry *entries;
    while (capacity <= (size_t)number)
      capacity *= 2;
    entries = realloc(x->entries, capacity * sizeof *entries);
    if (!entries) return false;
    memset(entries + x->capacity, 0, (capacity - x->capacity) * sizeof *entries);
    x->entries = entries;
    x->capacity = capacity;
  }
  if ((size_t)number >= x->size) x->size = (size_t)number + 1;
  return true;
}

/*
 * The newest entry of a number counts. Two generations of one number that both claim to be in use
 * mean different things to different readers.
 */
static bool add(reader *r, int64_t number, ol_xref_entry entry) {
  ol_xref_entry *known;
  if (!reserve(r, number)) return false;
  known = &r->xref->entries[number];
  if (entry.type != OL_XREF_FREE) {
    if (number == 0) return false;
    if (known->type == OL_XREF_PLAIN || known->type == OL_XREF_PACKED) {
      uint32_t a = known->type == OL_XREF_PLAIN ? known->extra : 0;
      uint32_t b = entry.type == OL_XREF_PLAIN ? entry.extra : 0;
      if (a != b) return false;
    }
  }
  if (known->type == OL_XREF_UNSEEN) *known = entry;
  return true;
}

static bool parse_digits(const uint8_t *p, int count, uint64_t *value) {
  *value = 0;
  for (int i = 0; i < count; i++) {
    if (!(ol_char_class[p[i]] & OL_CHAR_DIGIT)) return false;
    *value = *value * 10 + (p[i] - '0');
  }
  return true;
}

static bool read_table_entry(reader *r, const uint8_t *p, int64_t number) {
  uint64_t offset, generation;
  bool eol = (p[18] == ' ' && (p[19] == '\n' || p[19] == '\r')) || (p[18] == '\r' && p[19] == '\n');
  if (!parse_digits(p, 10, &offset) || p[10] != ' ' || !parse_digits(p + 11, 5, &generation) ||
      p[16] != ' ' || !eol || generation > 65535) {
    return false;
  }
  if (p[17] == 'n') {
    if (offset == 0 || offset >= r->source->size) return false;
    return add(r, number, (ol_xref_entry){offset, (uint32_t)generation, OL_XREF_PLAIN});
  }
  if (p[17] != 'f' || !reserve(r, number)) return false;
  /* Free entries count only after those of the section's /XRefStm: gathered as runs. */
  ol_string_list *frees = &r->frees;
  if (frees->count && frees->items[frees->count - 1].end == number) {
    frees->items[frees->count - 1].end++;
    return true;
  }
  return ol_string_list_add(frees, (ol_string_at){(uint32_t)number, (uint32_t)number + 1, 0});
}

static bool read_subsection(reader *r, uint64_t *at, int64_t first, int64_t count) {
  if (first < 0 || count < 0 || count > OL_XREF_OBJECTS_MAX) return false;
  while (count > 0) {
    const uint8_t *p;
    size_t available;
    int64_t n = count < ENTRIES_AT_ONCE ? count : ENTRIES_AT_ONCE;
    if (!ol_source_view(r->source, *at, (size_t)n * ENTRY, &p, &available) ||
        available < (size_t)n * ENTRY) {
      return false;
    }
    for (int64_t i = 0; i < n; i++) {
      if (!read_table_entry(r, p + i * ENTRY, first + i)) return false;
    }
    *at += (uint64_t)n * ENTRY;
    first += n;
    count -= n;
  }
  return true;
}

/* A trailer dictionary, of a table or a stream: the newest one is kept. */
static bool keep_trailer(reader *r, const uint8_t *bytes, const ol_walk *walk,
                         const ol_string_list *strings) {
  ol_xref *x = r->xref;
  bool encrypted = walk->entries[OL_KEY_ENCRYPT].type != OL_VALUE_NONE;
  size_t base = walk->value_at;
  if (x->trailer) return encrypted == r->encrypted || !encrypted;
  r->encrypted = encrypted;
  x->trailer = malloc(walk->end - base + 1);
  if (!x->trailer) return false;
  memcpy(x->trailer, bytes + base, walk->end - base);
  x->trailer_walk = *walk;
  x->trailer_walk.end -= (uint32_t)base;
  x->trailer_walk.value_at = 0;
  for (int i = 0; i < OL_KEY_COUNT; i++) {
    ol_entry *entry = &x->trailer_walk.entries[i];
    if (entry->type == OL_VALUE_NONE) continue;
    entry->at -= (uint32_t)base;
    entry->end -= (uint32_t)base;
    entry->key_at -= (uint32_t)base;
  }
  for (size_t i = 0; i < strings->count; i++) {
    ol_string_at item = strings->items[i];
    item.at -= (uint32_t)base;
    item.end -= (uint32_t)base;
    if (!ol_string_list_add(&x->trailer_strings, item)) return false;
  }
  return true;
}

static uint64_t read_field(const uint8_t *p, int64_t width) {
  uint64_t value = 0;
  for (int64_t i = 0; i < width; i++)
    value = value << 8 | p[i];
  return value;
}

static bool read_stream_entry(reader *r, const uint8_t *p, const int64_t w[3], int64_t number) {
  uint64_t type = w[0] ? read_field(p, w[0]) : 1;
  uint64_t second = read_field(p + w[0], w[1]), third = read_field(p + w[0] + w[1], w[2]);
  switch (type) {
    case 0:
      return add(r, number, (ol_xref_entry){0, 0, OL_XREF_FREE});
    case 1:
      if (second == 0 || second >= r->source->size || third > 65535) return false;
      return add(r, number, (ol_xref_entry){second, (uint32_t)third, OL_XREF_PLAIN});
    case 2:
      if (second == 0 || second > OL_XREF_OBJECTS_MAX || third > OL_XREF_OBJECTS_MAX) return false;
      return add(r, number, (ol_xref_entry){second, (uint32_t)third, OL_XREF_PACKED});
    default:
      return false;
  }
}

static bool read_stream_entries(reader *r, const uint8_t *dict, const ol_walk *walk,
                                const uint8_t *p, size_t length) {
  const ol_entry *index = &walk->entries[OL_KEY_INDEX], *size = &walk->entries[OL_KEY_SIZE];
  int64_t w[3], ranges[512] = {0, size->integer};
  int n = 2;
  if (size->type != OL_VALUE_INTEGER || size->integer < 1 ||
      size->integer > OL_XREF_OBJECTS_MAX + 1 ||
      ol_integers_read(dict, &walk->entries[OL_KEY_W], w, 3, false) != 3 || w[0] > 8 || w[1] > 8 ||
      w[2] > 8 || w[1] == 0) {
    return false;
  }
  if (index->type != OL_VALUE_NONE) n = ol_integers_read(dict, index, ranges, 512, true);
  if (n < 0 || n % 2) return false;
  size_t row = (size_t)(w[0] + w[1] + w[2]);
  for (int i = 0; i < n; i += 2) {
    if (ranges[i] > OL_XREF_OBJECTS_MAX || (uint64_t)ranges[i + 1] > length / row) return false;
    for (int64_t k = 0; k < ranges[i + 1]; k++, p += row, length -= row) {
      if (!read_stream_entry(r, p, w, ranges[i] + k)) return false;
    }
  }
  return length == 0;
}

static bool read_stream(reader *r, uint64_t at, bool hybrid, int64_t *prev) {
  ol_string_list strings = {0};
  ol_walk_options options = {.strings = &strings};
  ol_walk walk;
  const uint8_t *bytes, *data;
  uint8_t *dict = NULL;
  size_t available;
  int64_t number, generation;
  uint64_t body;
  bool ok = false;
  if (!ol_object_header_read(r->source, at, &number, &generation, &body) ||
      !ol_body_walk(r->source, body, r->source->size, &options, &walk, &bytes) || !walk.stream ||
      !ol_entry_is_name(bytes, &walk.entries[OL_KEY_TYPE], "XRef")) {
    goto done;
  }
  const ol_entry *length = &walk.entries[OL_KEY_LENGTH], *before = &walk.entries[OL_KEY_PREV];
  if (length->type != OL_VALUE_INTEGER || length->integer < 0 || length->integer > STREAM_MAX) {
    goto done;
  }
  if (before->type != OL_VALUE_NONE && before->type != OL_VALUE_INTEGER) goto done;
  if (before->type == OL_VALUE_INTEGER && !hybrid) *prev = before->integer;
  if (!hybrid && !keep_trailer(r, bytes, &walk, &strings)) goto done;
  dict = malloc(walk.end);
  if (!dict) goto done;
  memcpy(dict, bytes, walk.end);
  if (!ol_source_view(r->source, body + walk.end, (size_t)length->integer, &data, &available) ||
      available < (size_t)length->integer ||
      !ol_stream_decode(dict, &walk, data, (size_t)length->integer, &r->decoded)) {
    goto done;
  }
  ok = read_stream_entries(r, dict, &walk, r->decoded.bytes, r->decoded.length);
done:
  free(dict);
  free(strings.items);
  return ok;
}

static bool visit(reader *r, int64_t at) {
  if (at <= 0 || (uint64_t)at >= r->source->size) return false;
  for (size_t i = 0; i < r->visited_count; i++) {
    if (r->visited[i] == (uint64_t)at) return false;
  }
  if (r->visited_count == sizeof r->visited / sizeof *r->visited) return false;
  r->visited[r->visited_count++] = (uint64_t)at;
  return true;
}

/* The trailer behind a table and, before the table's free entries, its /XRefStm. */
static bool read_trailer(reader *r, uint64_t at, int64_t *prev) {
  ol_string_list strings = {0};
  ol_walk_options options = {.strings = &strings, .value_only = true};
  ol_walk walk;
  const uint8_t *bytes;
  bool ok = false;
  if (!ol_body_walk(r->source, at, r->source->size, &options, &walk, &bytes) ||
      walk.type != OL_VALUE_DICT || !keep_trailer(r, bytes, &walk, &strings)) {
    goto done;
  }
  const ol_entry *before = &walk.entries[OL_KEY_PREV], *hybrid = &walk.entries[OL_KEY_XREF_STM];
  if (before->type == OL_VALUE_INTEGER) *prev = before->integer;
  ok = before->type == OL_VALUE_INTEGER || before->type == OL_VALUE_NONE;
  if (ok && hybrid->type != OL_VALUE_NONE) {
    ok = hybrid->type == OL_VALUE_INTEGER && visit(r, hybrid->integer) &&
         read_stream(r, (uint64_t)hybrid->integer, true, NULL);
  }
  for (size_t i = 0; ok && i < r->frees.count; i++) {
    for (uint32_t k = r->frees.items[i].at; ok && k < r->frees.items[i].end; k++) {
      ok = add(r, k, (ol_xref_entry){0, 0, OL_XREF_FREE});
    }
  }
done:
  r->frees.count = 0;
  free(strings.items);
  return ok;
}

static bool read_table(reader *r, uint64_t at, int64_t *prev) {
  at += 4;
  for (;;) {
    const uint8_t *bytes;
    size_t available;
    ol_token first, count;
    if (!ol_source_view(r->source, at, 256, &bytes, &available)) return false;
    ol_token_read(bytes, bytes + available, &first);
    if (ol_token_is(&first, "trailer")) {
      return read_trailer(r, at + (uint64_t)(first.end - bytes), prev);
    }
    ol_token_read(first.end, bytes + available, &count);
    if (first.type != OL_TOKEN_INTEGER || count.type != OL_TOKEN_INTEGER) return false;
    const uint8_t *p = ol_space_skip(count.end, bytes + available);
    at += (uint64_t)(p - bytes);
    if (!read_subsection(r, &at, first.integer, count.integer)) return false;
  }
}

static bool read_section(reader *r, uint64_t at, int64_t *prev) {
  const uint8_t *bytes;
  size_t available;
  if (!ol_source_view(r->source, at, 64, &bytes, &available)) return false;
  if (available > 4 && memcmp(bytes, "xref", 4) == 0 && (ol_char_class[bytes[4]] & OL_CHAR_SPACE)) {
    return read_table(r, at, prev);
  }
  return read_stream(r, at, false, prev);
}

/* startxref, the offset and %%EOF are the last things in the file, but for white space. */
static bool find_start(ol_source *source, int64_t *start) {
  uint64_t at = source->size > TAIL ? source->size - TAIL : 0;
  const uint8_t *bytes, *end, *p;
  size_t available;
  ol_token token;
  if (!ol_source_view(source, at, TAIL, &bytes, &available)) return false;
  end = bytes + available;
  while (end > bytes && (ol_char_class[end[-1]] & OL_CHAR_SPACE))
    end--;
  if (end - bytes < 32 || memcmp(end - 5, "%%EOF", 5) != 0) return false;
  for (p = end - 14; p > bytes && memcmp(p, "startxref", 9) != 0; p--) {
    if (end - p > 64) return false;
  }
  if (p == bytes || !(ol_char_class[p[-1]] & OL_CHAR_SPACE)) return false;
  ol_token_read(p + 9, end, &token);
  if (token.type != OL_TOKEN_INTEGER) return false;
  *start = token.integer;
  return ol_space_skip(token.end, end - 5) == end - 5;
}

bool ol_xref_read(ol_xref *xref, ol_source *source) {
  reader r = {.xref = xref, .source = source};
  int64_t at;
  bool ok = false;
  memset(xref, 0, sizeof *xref);
  r.number_limit = source->size / 4 < 65536 ? 65536 : (size_t)(source->size / 4);
  if (r.number_limit > OL_XREF_OBJECTS_MAX) r.number_limit = OL_XREF_OBJECTS_MAX;
  if (!find_start(source, &at)) goto done;
  while (at >= 0) {
    int64_t prev = -1;
    if (!visit(&r, at) || !read_section(&r, (uint64_t)at, &prev)) goto done;
    at = prev;
  }
  const ol_entry *size = &xref->trailer_walk.entries[OL_KEY_SIZE];
  if (size->type != OL_VALUE_INTEGER || (uint64_t)size->integer != xref->size) goto done;
  for (size_t i = 1; i < xref->size; i++)
    xref->packed |= xref->entries[i].type == OL_XREF_PACKED;
  ok = true;
done:
  free(r.decoded.bytes);
  free(r.frees.items);
  return ok;
}

void ol_xref_free(ol_xref *xref) {
  free(xref->entries);
  free(xref->trailer);
  free(xref->trailer_strings.items);
  memset(xref, 0, sizeof *xref);
}

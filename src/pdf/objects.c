#include "objects.h"

#include <stdlib.h>
#include <string.h>

/* What a dictionary expects next. An integer may turn out to begin a reference. */
typedef enum { IN_ARRAY, WANT_KEY, WANT_VALUE, AFTER_INTEGER, AFTER_TWO_INTEGERS } position;

typedef enum { SIGNATURE_TYPE_ABSENT, SIGNATURE_TYPE_SIG, SIGNATURE_TYPE_OTHER } signature_type;

typedef struct {
  position at;
  unsigned integers; /* Arrays: how many integers stand right before this point, at most 2. */
  int64_t first, second;
  size_t keys;      /* Dictionaries: where their key hashes begin. */
  int slot;         /* The ol_key whose value is due, or -1. */
  bool attachments; /* The dictionary is the value of /EF. */
  bool next_is_attachments;
  bool byte_range;
  bool next_is_type;
  bool next_is_contents;
  bool next_is_field_type;
  bool next_is_value;
  bool signature_field; /* /FT /Sig */
  bool has_value;       /* /V refers to or is a dictionary. */
  signature_type type;
  size_t contents; /* Index of the /Contents string plus 1; 0 where there is none. */
} frame;

typedef struct {
  const uint8_t *start;
  const ol_walk_options *options;
  ol_walk *walk;
  ol_walk_status status;
  size_t depth;
  size_t key_count;
  size_t contents_skipped;
  frame frames[OL_OBJECT_DEPTH_MAX];
  uint32_t small_keys[256];
  uint32_t *keys;
  size_t key_capacity;
} walker;

static const char *const key_names[OL_KEY_COUNT] = {[OL_KEY_TYPE] = "Type",
                                                    [OL_KEY_LENGTH] = "Length",
                                                    [OL_KEY_FILTER] = "Filter",
                                                    [OL_KEY_DECODE_PARMS] = "DecodeParms",
                                                    [OL_KEY_F] = "F",
                                                    [OL_KEY_F_FILTER] = "FFilter",
                                                    [OL_KEY_F_DECODE_PARMS] = "FDecodeParms",
                                                    [OL_KEY_N] = "N",
                                                    [OL_KEY_FIRST] = "First",
                                                    [OL_KEY_W] = "W",
                                                    [OL_KEY_H] = "H",
                                                    [OL_KEY_INDEX] = "Index",
                                                    [OL_KEY_SIZE] = "Size",
                                                    [OL_KEY_PREV] = "Prev",
                                                    [OL_KEY_XREF_STM] = "XRefStm",
                                                    [OL_KEY_ROOT] = "Root",
                                                    [OL_KEY_ENCRYPT] = "Encrypt",
                                                    [OL_KEY_ID] = "ID",
                                                    [OL_KEY_EXTENSIONS] = "Extensions",
                                                    [OL_KEY_PAGES] = "Pages",
                                                    [OL_KEY_LINEARIZED] = "Linearized",
                                                    [OL_KEY_DL] = "DL"};

/* Which of key_names begin with each letter from 'A' on, so that most keys cost one look. */
static const uint8_t key_initials[26] = {
    ['D' - 'A'] = 1, ['E' - 'A'] = 1, ['F' - 'A'] = 1, ['H' - 'A'] = 1, ['I' - 'A'] = 1,
    ['L' - 'A'] = 1, ['N' - 'A'] = 1, ['P' - 'A'] = 1, ['R' - 'A'] = 1, ['S' - 'A'] = 1,
    ['T' - 'A'] = 1, ['W' - 'A'] = 1, ['X' - 'A'] = 1};

static int find_key(const ol_token *name) {
  uint8_t initial = (uint8_t)(name->start[1] - 'A');
  if (name->end - name->start < 2) return -1;
  if (!name->escaped && (initial >= 26 || !key_initials[initial])) return -1;
  for (int i = 0; i < OL_KEY_COUNT; i++) {
    if ((name->escaped || key_names[i][0] == name->start[1]) && ol_name_is(name, key_names[i])) {
      return i;
    }
  }
  return -1;
}

static uint32_t hash_name(const ol_token *name) {
  uint32_t hash = 2166136261u;
  for (const uint8_t *p = name->start + 1; p < name->end; p++) {
    unsigned c = *p;
    if (c == '#') {
      unsigned high = p[1] | 0x20u, low = p[2] | 0x20u;
      c = (high > '9' ? high - 'a' + 10 : high & 15) << 4 | (low > '9' ? low - 'a' + 10 : low & 15);
      p += 2;
    }
    hash = (hash ^ c) * 16777619u;
  }
  return hash;
}

static bool fail(walker *w, ol_walk_status status) {
  w->status = status;
  return false;
}

bool ol_string_list_add(ol_string_list *list, ol_string_at item) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? list->capacity * 2 : 64;
    ol_string_at *items = realloc(list->items, capacity * sizeof *items);
    if (!items) return false;
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = item;
  return true;
}

static bool push_key(walker *w, uint32_t hash) {
  if (w->key_count == w->key_capacity) {
    size_t capacity = w->key_capacity * 4;
    uint32_t *keys;
    if (capacity > OL_OBJECT_KEYS_MAX) return fail(w, OL_WALK_UNSURE);
    keys = w->keys == w->small_keys ? malloc(capacity * sizeof *keys)
                                    : realloc(w->keys, capacity * sizeof *keys);
    if (!keys) return fail(w, OL_WALK_NO_MEMORY);
    if (w->keys == w->small_keys) memcpy(keys, w->small_keys, sizeof w->small_keys);
    w->keys = keys;
    w->key_capacity = capacity;
  }
  w->keys[w->key_count++] = hash;
  return true;
}

static int compare_hashes(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Two keys that merely share a hash make the walk unsure too, which costs speed, not truth. */
static bool has_duplicates(uint32_t *keys, size_t count) {
  if (count <= 24) {
    for (size_t i = 1; i < count; i++) {
      for (size_t j = 0; j < i; j++) {
        if (keys[i] == keys[j]) return true;
      }
    }
    return false;
  }
  qsort(keys, count, sizeof *keys, compare_hashes);
  for (size_t i = 1; i < count; i++) {
    if (keys[i] == keys[i - 1]) return true;
  }
  return false;
}

static bool open_container(walker *w, bool dict) {
  frame *parent = w->depth ? &w->frames[w->depth - 1] : NULL;
  frame *f;
  if (w->depth == OL_OBJECT_DEPTH_MAX) return fail(w, OL_WALK_UNSURE);
  f = &w->frames[w->depth++];
  memset(f, 0, sizeof *f);
  f->at = dict ? WANT_KEY : IN_ARRAY;
  f->keys = w->key_count;
  f->slot = -1;
  f->attachments = dict && parent && parent->next_is_attachments;
  return true;
}

/* A dictionary's value is complete: the entry's end is known. */
static void end_value(walker *w, frame *f, ol_value_type type, const uint8_t *end) {
  if (f->next_is_type && type != OL_VALUE_NAME) f->type = SIGNATURE_TYPE_OTHER;
  if (w->depth == 1 && f->slot >= 0) {
    ol_entry *entry = &w->walk->entries[f->slot];
    entry->type = type;
    entry->end = (uint32_t)(end - w->start);
  }
  f->at = WANT_KEY;
  f->slot = -1;
  if (f->next_is_value) f->has_value = type == OL_VALUE_REFERENCE || type == OL_VALUE_DICT;
  f->next_is_type = f->next_is_contents = f->next_is_attachments = false;
  f->next_is_field_type = f->next_is_value = false;
}

static void begin_value(walker *w, frame *f, const ol_token *token) {
  if (w->depth == 1 && f->slot >= 0) {
    w->walk->entries[f->slot].at = (uint32_t)(token->start - w->start);
  }
}

/* An integer that was not the start of a reference after all. */
static void settle_integer(walker *w, frame *f) {
  if (w->depth == 1 && f->slot >= 0) w->walk->entries[f->slot].integer = f->first;
  end_value(w, f, OL_VALUE_INTEGER, w->start + f->second);
}

/*
 * A signature's /Contents is never encrypted (7.6.2). libqpdf knows a signature by /Type /Sig,
 * other readers by /ByteRange: where the two disagree nobody can be right for both.
 */
static bool settle_signature(walker *w, frame *f) {
  ol_string_list *strings = w->options->strings;
  w->walk->signature |= f->signature_field && f->has_value;
  if (!f->byte_range || !f->contents) return true;
  if (f->type != SIGNATURE_TYPE_SIG) return fail(w, OL_WALK_UNSURE);
  if (!strings) return true;
  memmove(&strings->items[f->contents - 1], &strings->items[f->contents],
          (strings->count - f->contents) * sizeof *strings->items);
  strings->count--;
  return true;
}

static bool take_key(walker *w, frame *f, const ol_token *token) {
  size_t length = (size_t)(token->end - token->start) - 1;
  if (token->type != OL_TOKEN_NAME || !push_key(w, hash_name(token))) {
    return w->status == OL_WALK_OK ? fail(w, OL_WALK_UNSURE) : false;
  }
  f->at = WANT_VALUE;
  if (length == 4 || token->escaped) f->next_is_type = ol_name_is(token, "Type");
  if (length == 8 || token->escaped) f->next_is_contents = ol_name_is(token, "Contents");
  if (length == 9 || token->escaped) f->byte_range |= ol_name_is(token, "ByteRange");
  if (length == 2 || token->escaped) {
    f->next_is_attachments = ol_name_is(token, "EF");
    f->next_is_field_type = ol_name_is(token, "FT");
  }
  if (length == 1 || token->escaped) f->next_is_value = ol_name_is(token, "V");
  if (w->depth == 1 && (f->slot = find_key(token)) >= 0) {
    ol_entry *entry = &w->walk->entries[f->slot];
    if (entry->type != OL_VALUE_NONE) return fail(w, OL_WALK_UNSURE);
    entry->key_at = (uint32_t)(token->start - w->start);
  }
  return true;
}

static bool take_reference(walker *w, frame *f, const ol_token *token) {
  const ol_walk_options *options = w->options;
  if (f->first <= 0 || f->first > INT32_MAX || f->second < 0 || f->second > 65535) {
    return fail(w, OL_WALK_UNSURE);
  }
  if (f->first > w->walk->highest_reference) w->walk->highest_reference = (uint32_t)f->first;
  if (f->at == IN_ARRAY) {
    f->integers = 0;
    return true;
  }
  if (w->depth == 1 && f->slot >= 0) {
    w->walk->entries[f->slot].integer = f->first;
    w->walk->entries[f->slot].generation = (uint16_t)f->second;
  }
  if (f->attachments && options->attachments) {
    if (*options->attachment_count == OL_OBJECT_EF_MAX) return fail(w, OL_WALK_UNSURE);
    options->attachments[(*options->attachment_count)++] =
        (ol_reference){(uint32_t)f->first, (uint16_t)f->second};
  }
  end_value(w, f, OL_VALUE_REFERENCE, token->end);
  return true;
}

static bool add_string(walker *w, frame *f, const ol_token *token) {
  ol_string_list *strings = w->options->strings;
  ol_string_at item = {(uint32_t)(token->start - w->start), (uint32_t)(token->end - w->start),
                       (uint32_t)token->decoded_length};
  if (f && f->next_is_contents) f->contents = strings ? strings->count + 1 : 1;
  if (!strings || ol_string_list_add(strings, item)) return true;
  return fail(w, OL_WALK_NO_MEMORY);
}

/* A value that is one token; `f` is NULL at the top. */
static bool take_simple(walker *w, frame *f, const ol_token *token) {
  static const ol_value_type types[] = {[OL_TOKEN_REAL] = OL_VALUE_REAL,
                                        [OL_TOKEN_NAME] = OL_VALUE_NAME,
                                        [OL_TOKEN_STRING] = OL_VALUE_STRING,
                                        [OL_TOKEN_WORD] = OL_VALUE_WORD};
  if (token->type == OL_TOKEN_WORD && !ol_token_is(token, "true") && !ol_token_is(token, "false") &&
      !ol_token_is(token, "null")) {
    return fail(w, OL_WALK_UNSURE);
  }
  if (token->type == OL_TOKEN_STRING && !add_string(w, f, token)) return false;
  if (!f) {
    w->walk->type = types[token->type];
    return true;
  }
  if (f->at == IN_ARRAY) {
    f->integers = 0;
    return true;
  }
  if (f->next_is_type && token->type == OL_TOKEN_NAME) {
    f->type = ol_name_is(token, "Sig") ? SIGNATURE_TYPE_SIG : SIGNATURE_TYPE_OTHER;
  }
  if (f->next_is_field_type) f->signature_field = ol_name_is(token, "Sig");
  begin_value(w, f, token);
  end_value(w, f, types[token->type], token->end);
  return true;
}

static bool take_integer(walker *w, frame *f, const ol_token *token) {
  if (f->at == IN_ARRAY) {
    f->first = f->second;
    f->second = token->integer;
    if (f->integers < 2) f->integers++;
    return true;
  }
  if (f->at == WANT_VALUE) {
    begin_value(w, f, token);
    f->first = token->integer;
    f->second = token->end - w->start; /* Where the value ends, if it is no reference. */
    f->at = AFTER_INTEGER;
    return true;
  }
  if (f->at != AFTER_INTEGER) return fail(w, OL_WALK_UNSURE);
  f->second = token->integer;
  f->at = AFTER_TWO_INTEGERS;
  return true;
}

static bool close_container(walker *w, const ol_token *token) {
  frame *f = &w->frames[w->depth - 1];
  bool dict = token->type == OL_TOKEN_DICT_CLOSE;
  ol_value_type type = dict ? OL_VALUE_DICT : OL_VALUE_ARRAY;
  if (dict) {
    if (f->at == AFTER_INTEGER) settle_integer(w, f);
    if (f->at != WANT_KEY || !settle_signature(w, f)) return fail(w, OL_WALK_UNSURE);
    if (has_duplicates(w->keys + f->keys, w->key_count - f->keys)) return fail(w, OL_WALK_UNSURE);
    w->key_count = f->keys;
  } else if (f->at != IN_ARRAY) {
    return fail(w, OL_WALK_UNSURE);
  }
  if (--w->depth == 0) {
    w->walk->type = type;
    return true;
  }
  f = &w->frames[w->depth - 1];
  if (f->at == IN_ARRAY) {
    f->integers = 0;
  } else {
    end_value(w, f, type, token->end);
  }
  return true;
}

/* One token within at least one container. */
static bool take_token(walker *w, const ol_token *token) {
  frame *f = &w->frames[w->depth - 1];
  if (f->at == AFTER_INTEGER && token->type == OL_TOKEN_NAME) settle_integer(w, f);
  if (token->type == OL_TOKEN_DICT_CLOSE || token->type == OL_TOKEN_ARRAY_CLOSE) {
    return close_container(w, token);
  }
  if (f->at == WANT_KEY) return take_key(w, f, token);
  if (token->type == OL_TOKEN_WORD && token->end - token->start == 1 && *token->start == 'R') {
    if (f->at != AFTER_TWO_INTEGERS && f->integers != 2) return fail(w, OL_WALK_UNSURE);
    return take_reference(w, f, token);
  }
  if (token->type == OL_TOKEN_INTEGER) return take_integer(w, f, token);
  if (f->at != IN_ARRAY && f->at != WANT_VALUE) return fail(w, OL_WALK_UNSURE);
  if (token->type == OL_TOKEN_DICT_OPEN || token->type == OL_TOKEN_ARRAY_OPEN) {
    begin_value(w, f, token);
    return open_container(w, token->type == OL_TOKEN_DICT_OPEN);
  }
  return take_simple(w, f, token);
}

static bool read_token(walker *w, const uint8_t *p, const uint8_t *end, ol_token *token) {
  ol_token_read(p, end, token);
  if (token->type == OL_TOKEN_BAD) return fail(w, OL_WALK_UNSURE);
  return token->type == OL_TOKEN_CUT ? fail(w, OL_WALK_CUT) : true;
}

/* The value itself; returns where it ends, NULL on failure. */
static const uint8_t *walk_value(walker *w, const uint8_t *end) {
  ol_token token;
  if (!read_token(w, w->start, end, &token)) return NULL;
  w->walk->value_at = (uint32_t)(token.start - w->start);
  if (token.type == OL_TOKEN_INTEGER) {
    w->walk->type = OL_VALUE_INTEGER;
    w->walk->integer = token.integer;
    return token.end;
  }
  if (token.type == OL_TOKEN_DICT_CLOSE || token.type == OL_TOKEN_ARRAY_CLOSE) {
    fail(w, OL_WALK_UNSURE);
    return NULL;
  }
  if (token.type != OL_TOKEN_DICT_OPEN && token.type != OL_TOKEN_ARRAY_OPEN) {
    return take_simple(w, NULL, &token) ? token.end : NULL;
  }
  if (!open_container(w, token.type == OL_TOKEN_DICT_OPEN)) return NULL;
  while (w->depth > 0) {
    if (!read_token(w, token.end, end, &token) || !take_token(w, &token)) return NULL;
  }
  return token.end;
}

/* endobj, or stream and the end of its line. */
static const uint8_t *walk_end(walker *w, const uint8_t *p, const uint8_t *end) {
  ol_token token;
  if (!read_token(w, p, end, &token)) return NULL;
  if (ol_token_is(&token, "endobj")) return token.end;
  if (!ol_token_is(&token, "stream") || w->walk->type != OL_VALUE_DICT) {
    fail(w, OL_WALK_UNSURE);
    return NULL;
  }
  w->walk->stream = true;
  p = token.end;
  if (p < end && *p == '\r') p++;
  if (p == end) {
    fail(w, OL_WALK_CUT);
    return NULL;
  }
  if (*p == '\n') return p + 1;
  fail(w, OL_WALK_UNSURE);
  return NULL;
}

ol_walk_status ol_object_walk(const uint8_t *start, size_t length, const ol_walk_options *options,
                              ol_walk *walk) {
  walker w;
  const uint8_t *p;
  w.start = start;
  w.options = options;
  w.walk = walk;
  w.status = OL_WALK_OK;
  w.depth = w.key_count = 0;
  w.keys = w.small_keys;
  w.key_capacity = sizeof w.small_keys / sizeof *w.small_keys;
  memset(walk, 0, sizeof *walk);
  p = walk_value(&w, start + length);
  if (p && !options->value_only) p = walk_end(&w, p, start + length);
  if (w.keys != w.small_keys) free(w.keys);
  if (p) walk->end = (uint32_t)(p - start);
  return w.status;
}

bool ol_entry_is_name(const uint8_t *start, const ol_entry *entry, const char *name) {
  ol_token token = {.type = OL_TOKEN_NAME,
                    .start = start + entry->at,
                    .end = start + entry->end,
                    .escaped = true};
  return entry->type == OL_VALUE_NAME && ol_name_is(&token, name);
}

/* The end of the value that begins with `first`. */
static const uint8_t *value_end(const ol_token *first, const uint8_t *end, bool *reference) {
  ol_token token = *first;
  *reference = false;
  if (first->type == OL_TOKEN_INTEGER) {
    ol_token_read(first->end, end, &token);
    if (token.type != OL_TOKEN_INTEGER) return first->end;
    ol_token_read(token.end, end, &token);
    *reference = ol_token_is(&token, "R");
    return *reference ? token.end : first->end;
  }
  for (int depth = 0;; ol_token_read(token.end, end, &token)) {
    if (token.type == OL_TOKEN_BAD || token.type == OL_TOKEN_CUT) return end;
    if (token.type == OL_TOKEN_DICT_OPEN || token.type == OL_TOKEN_ARRAY_OPEN) depth++;
    if (token.type == OL_TOKEN_DICT_CLOSE || token.type == OL_TOKEN_ARRAY_CLOSE) depth--;
    if (depth == 0) return token.end;
  }
}

bool ol_pair_next(const uint8_t **p, const uint8_t *end, ol_pair *pair) {
  ol_token_read(*p, end, &pair->key);
  if (pair->key.type == OL_TOKEN_DICT_OPEN) ol_token_read(pair->key.end, end, &pair->key);
  if (pair->key.type != OL_TOKEN_NAME) return false;
  ol_token_read(pair->key.end, end, &pair->value);
  pair->end = value_end(&pair->value, end, &pair->reference);
  *p = pair->end;
  return true;
}

bool ol_pair_find(const uint8_t *p, const uint8_t *end, const char *name, ol_pair *pair) {
  while (ol_pair_next(&p, end, pair)) {
    if (ol_name_is(&pair->key, name)) return true;
  }
  return false;
}

/*
 * Walks one object's body: checks its syntax and notes what a rewriter must know, its strings and
 * the top-level entries that say how to treat it. Values are never built.
 *
 * A walk borrows the bytes given to it, works on one thread and allocates only the list of strings
 * that the caller owns. Depth and counts are bounded by the constants below.
 */
#ifndef OL_PDF_OBJECTS_H
#define OL_PDF_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lexer.h"

enum {
  OL_OBJECT_DEPTH_MAX = 200,
  OL_OBJECT_KEYS_MAX = 1 << 16, /* Keys of all dictionaries open at once. */
  OL_OBJECT_EF_MAX = 1 << 16
};

typedef enum {
  OL_WALK_OK,
  OL_WALK_CUT,    /* The range ended too early: more bytes may help. */
  OL_WALK_UNSURE, /* Not plainly what the standard says. */
  OL_WALK_NO_MEMORY
} ol_walk_status;

/* The entries of a top-level dictionary that are looked at. */
typedef enum {
  OL_KEY_TYPE,
  OL_KEY_LENGTH,
  OL_KEY_FILTER,
  OL_KEY_DECODE_PARMS,
  OL_KEY_F,
  OL_KEY_F_FILTER,
  OL_KEY_F_DECODE_PARMS,
  OL_KEY_N,
  OL_KEY_FIRST,
  OL_KEY_W,
  OL_KEY_H,
  OL_KEY_INDEX,
  OL_KEY_SIZE,
  OL_KEY_PREV,
  OL_KEY_XREF_STM,
  OL_KEY_ROOT,
  OL_KEY_ENCRYPT,
  OL_KEY_ID,
  OL_KEY_EXTENSIONS,
  OL_KEY_PAGES,
  OL_KEY_LINEARIZED,
  OL_KEY_DL,
  OL_KEY_COUNT
} ol_key;

typedef enum {
  OL_VALUE_NONE, /* The key is absent. */
  OL_VALUE_INTEGER,
  OL_VALUE_REAL,
  OL_VALUE_NAME,
  OL_VALUE_STRING,
  OL_VALUE_WORD, /* true, false or null. */
  OL_VALUE_REFERENCE,
  OL_VALUE_DICT,
  OL_VALUE_ARRAY
} ol_value_type;

/* Positions are relative to the start of the walked range. */
typedef struct {
  uint32_t key_at;
  uint32_t at;
  uint32_t end;
  ol_value_type type;
  int64_t integer; /* INTEGER: the value; REFERENCE: the object's number. */
  uint16_t generation;
} ol_entry;

typedef struct {
  uint32_t at;
  uint32_t end;
  uint32_t decoded_length;
} ol_string_at;

typedef struct {
  ol_string_at *items;
  size_t count;
  size_t capacity;
} ol_string_list;

typedef struct {
  uint32_t number;
  uint16_t generation;
} ol_reference;

typedef struct {
  ol_value_type type;
  int64_t integer; /* As in ol_entry. */
  uint32_t value_at;
  uint32_t end; /* Behind the value and, for an object, behind its endobj, or stream and its EOL. */
  bool stream;
  bool signature;             /* Holds a signature field with a value. */
  uint32_t highest_reference; /* The highest number that any reference names. */
  ol_entry entries[OL_KEY_COUNT];
} ol_walk;

typedef struct {
  /* Strings are appended here, unless NULL; not a signature's /Contents, which stays in clear. */
  ol_string_list *strings;
  /* References in /EF dictionaries (streams of attachments) are appended here, unless NULL. */
  ol_reference *attachments;
  size_t *attachment_count; /* At most OL_OBJECT_EF_MAX. */
  bool value_only;          /* Stop behind the value instead of asking for endobj or stream. */
} ol_walk_options;

/* Walks the value at the start of [start, start + length). On any status but OK `walk` and the
 * list's tail beyond its former count are undefined. `length` is below 2^31. */
ol_walk_status ol_object_walk(const uint8_t *start, size_t length, const ol_walk_options *options,
                              ol_walk *walk);

/* Appends to a list; false when memory is out. */
bool ol_string_list_add(ol_string_list *list, ol_string_at item);

/* Whether an entry is a name that reads `name` (slash left out). */
bool ol_entry_is_name(const uint8_t *start, const ol_entry *entry, const char *name);

/** One key and its value in a dictionary, as positions in memory. */
typedef struct {
  ol_token key;
  ol_token value; /* The value's first token. */
  const uint8_t *end;
  bool reference; /* The value is `integer generation R`. */
} ol_pair;

/**
 * Steps through a dictionary that a walk has found well-formed: *p starts at its `<<` and is moved
 * along. False at its end.
 */
bool ol_pair_next(const uint8_t **p, const uint8_t *end, ol_pair *pair);

/** Looks a key up in the dictionary at [p, end). */
bool ol_pair_find(const uint8_t *p, const uint8_t *end, const char *name, ol_pair *pair);

#endif

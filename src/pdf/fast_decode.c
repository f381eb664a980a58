#include "fast_decode.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  bool flate;
  int64_t predictor, columns, colors, bits;
} filter;

int ol_integers_read(const uint8_t *dict, const ol_entry *entry, int64_t *out, int count,
                     bool at_most) {
  const uint8_t *p = dict + entry->at + 1, *end = dict + entry->end;
  ol_token token;
  int n = 0;
  if (entry->type != OL_VALUE_ARRAY) return -1;
  for (;; p = token.end, n++) {
    ol_token_read(p, end, &token);
    /* The closing bracket is the range's last byte, so that nothing before it is cut. */
    if (token.type == OL_TOKEN_ARRAY_CLOSE) break;
    if (token.type != OL_TOKEN_INTEGER || token.integer < 0 || n == count) return -1;
    out[n] = token.integer;
  }
  return n == count || at_most ? n : -1;
}

/* /Predictor and its company; the walk has seen that the dictionary is well-formed. */
static bool read_parameters(const uint8_t *p, const uint8_t *end, filter *f) {
  static const char *const names[] = {"Predictor", "Columns", "Colors", "BitsPerComponent"};
  int64_t *const values[] = {&f->predictor, &f->columns, &f->colors, &f->bits};
  ol_token token;
  ol_token_read(p, end, &token);
  if (token.type != OL_TOKEN_DICT_OPEN) return false;
  for (;;) {
    int which = -1;
    ol_token_read(token.end, end, &token);
    if (token.type == OL_TOKEN_DICT_CLOSE) return token.end == end;
    if (token.type != OL_TOKEN_NAME) return false;
    for (int i = 0; i < 4; i++) {
      if (ol_name_is(&token, names[i])) which = i;
    }
    ol_token_read(token.end, end, &token);
    if (which < 0 || token.type != OL_TOKEN_INTEGER) return false;
    *values[which] = token.integer;
  }
}

/* A lone /FlateDecode, or an array of just that. */
static bool read_filter_name(const uint8_t *dict, const ol_entry *entry, filter *f) {
  const uint8_t *end = dict + entry->end;
  ol_token token;
  if (entry->type == OL_VALUE_NONE) return true;
  f->flate = true;
  if (entry->type == OL_VALUE_NAME) return ol_entry_is_name(dict, entry, "FlateDecode");
  if (entry->type != OL_VALUE_ARRAY) return false;
  ol_token_read(dict + entry->at + 1, end, &token);
  if (token.type == OL_TOKEN_ARRAY_CLOSE) {
    f->flate = false;
    return true;
  }
  if (!ol_name_is(&token, "FlateDecode")) return false;
  ol_token_read(token.end, end, &token);
  return token.type == OL_TOKEN_ARRAY_CLOSE;
}

static bool read_filter(const uint8_t *dict, const ol_walk *walk, filter *f) {
  const ol_entry *parms = &walk->entries[OL_KEY_DECODE_PARMS];
  const uint8_t *end = dict + parms->end;
  *f = (filter){false, 1, 1, 1, 8};
  if (walk->entries[OL_KEY_F].type != OL_VALUE_NONE ||
      !read_filter_name(dict, &walk->entries[OL_KEY_FILTER], f)) {
    return false;
  }
  if (parms->type == OL_VALUE_NONE) return true;
  if (!f->flate) return false;
  if (parms->type == OL_VALUE_DICT) return read_parameters(dict + parms->at, end, f);
  if (parms->type != OL_VALUE_ARRAY) return false;
  /* [ << … >> ]: step inside the brackets, whatever space there is. */
  while (end[-2] != '>' && end - 2 > dict + parms->at)
    end--;
  return end - 2 > dict + parms->at && read_parameters(dict + parms->at + 1, end - 1, f);
}

bool ol_stream_decode(const uint8_t *dict, const ol_walk *walk, const uint8_t *data, size_t length,
                      ol_inflate_buffer *out) {
  filter f;
  if (!read_filter(dict, walk, &f)) return false;
  if (!f.flate) {
    if (length > OL_DECODED_MAX) return false;
    if (out->capacity < length || !out->bytes) {
      uint8_t *bytes = realloc(out->bytes, length + 1);
      if (!bytes) return false;
      out->bytes = bytes;
      out->capacity = length + 1;
    }
    memcpy(out->bytes, data, length);
    out->length = length;
    return true;
  }
  if (ol_inflate(data, length, OL_DECODED_MAX, out) != OL_INFLATE_OK) return false;
  if (f.predictor == 1) return true;
  if (f.predictor < 10 || f.predictor > 15 || f.bits != 8 || f.colors < 1 || f.colors > 4 ||
      f.columns < 1 || f.columns > 1 << 16) {
    return false;
  }
  return out->length == 0 ||
         ol_png_unpredict(out, (size_t)(f.columns * f.colors), (size_t)f.colors) == OL_INFLATE_OK;
}

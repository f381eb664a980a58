/**
 * The plain contents of a cross-reference or object stream: no filter, or FlateDecode alone with
 * or without one of PNG's predictors. Anything else is refused.
 */
#ifndef OL_PDF_FAST_DECODE_H
#define OL_PDF_FAST_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fast_inflate.h"
#include "objects.h"

enum { OL_DECODED_MAX = 24 << 20 };

/**
 * Decodes `data` as the stream dictionary says that `walk` noted within `dict`. On success the
 * contents are in `out`; at most OL_DECODED_MAX bytes.
 */
bool ol_stream_decode(const uint8_t *dict, const ol_walk *walk, const uint8_t *data, size_t length,
                      ol_inflate_buffer *out);

/**
 * Reads an array of exactly `count` (or, with `at_most`, up to as many) non-negative integers.
 * Returns how many there are, or -1 if it is anything else.
 */
int ol_integers_read(const uint8_t *dict, const ol_entry *entry, int64_t *out, int count,
                     bool at_most);

#endif

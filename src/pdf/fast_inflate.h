/**
 * FlateDecode for the few streams that a rewriter must read itself: cross-reference and object
 * streams. zlib's format (RFC 1950, 1951), checksum included, with PNG's predictors.
 *
 * Output is bounded by a limit, so that a small stream cannot ask for all memory.
 */
#ifndef OL_PDF_FAST_INFLATE_H
#define OL_PDF_FAST_INFLATE_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  OL_INFLATE_OK,
  OL_INFLATE_DAMAGED,
  OL_INFLATE_TOO_LARGE,
  OL_INFLATE_NO_MEMORY
} ol_inflate_status;

/** Reused between calls; starts all zero. The caller frees `bytes`. */
typedef struct {
  uint8_t *bytes;
  size_t length;
  size_t capacity;
} ol_inflate_buffer;

/** Inflates `in` into `out` (from its start), at most `limit` bytes. */
ol_inflate_status ol_inflate(const uint8_t *in, size_t length, size_t limit,
                             ol_inflate_buffer *out);

/** Undoes PNG's predictors in place: rows of 1 + row_length bytes become rows of row_length. */
ol_inflate_status ol_png_unpredict(ol_inflate_buffer *buffer, size_t row_length,
                                   size_t pixel_length);

#endif

/**
 * A document's bytes, in memory or read from a file in windows. A file is never mapped: another
 * process that truncates a mapped file would kill ours.
 *
 * One thread at a time. The caller owns the memory or the descriptor, and frees the window with
 * ol_source_close.
 */
#ifndef OL_PDF_FAST_SOURCE_H
#define OL_PDF_FAST_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OL_SOURCE_WHOLE_MAX = 8 << 20, OL_SOURCE_WINDOW = 64 << 10 };

typedef struct {
  const uint8_t *memory; /* The whole document, or NULL. */
  int fd;                /* Where memory is NULL. */
  uint64_t size;
  uint8_t *window;
  size_t capacity;
  uint64_t window_at;
  size_t window_length;
  int error; /* errno of the failed read; 0 when the file was shorter than its size said. */
} ol_source;

/**
 * Opens a source over a descriptor; a file of up to OL_SOURCE_WHOLE_MAX bytes is read at once.
 * False on a failed read or without memory.
 */
bool ol_source_open_fd(ol_source *source, int fd, uint64_t size);

void ol_source_open_memory(ol_source *source, const uint8_t *bytes, size_t size);

/**
 * Makes [at, at + length) readable at *bytes, cut at the document's end, and says in *available
 * how many bytes from `at` on are (there may be more). The bytes stay valid until the next call.
 */
bool ol_source_view(ol_source *source, uint64_t at, size_t length, const uint8_t **bytes,
                    size_t *available);

/** Reads exactly `length` bytes into `out`. */
bool ol_source_read(ol_source *source, uint64_t at, size_t length, uint8_t *out);

void ol_source_close(ol_source *source);

#endif

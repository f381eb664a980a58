/*
 * A document on disk, read at any position.
 *
 * Pure C over POSIX. A source file may be read by several threads at once.
 */
#ifndef OL_PDF_SOURCE_FILE_H
#define OL_PDF_SOURCE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "system_error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int fd;        /* -1 when closed. */
  uint64_t size; /* Bytes, when it was opened. */
} ol_source_file;

/*
 * Opens a regular file. Never waits: a pipe or device is refused at once (OL_NOT_A_FILE), a
 * directory with EISDIR. On failure there is nothing to close.
 */
bool ol_source_file_open(ol_source_file *file, const char *path, ol_system_error *error);

/*
 * Reads up to `length` bytes at `offset`. Fewer come only at the end of the file, which may
 * have become shorter since it was opened.
 */
bool ol_source_file_read(const ol_source_file *file, uint64_t offset, void *buffer, size_t length,
                         size_t *read, ol_system_error *error);

void ol_source_file_close(ol_source_file *file);

#ifdef __cplusplus
}
#endif

#endif

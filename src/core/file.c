#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Milliseconds between two looks at the cancel flag while a descriptor takes nothing. */
enum { WAIT_MILLISECONDS = 50 };

/* Opens a file and finds how much of it is to be read. */
static ol_status file_open(const char *path, int *descriptor, uint64_t *size, ol_failure *failure) {
  struct stat found;
  /* Without O_NONBLOCK the open itself would wait for a pipe's writer. */
  *descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (*descriptor < 0) return ol_fail_system(failure, errno, "open", path);
  if (fstat(*descriptor, &found) != 0) return ol_fail_system(failure, errno, "fstat", path);
  if (S_ISDIR(found.st_mode)) return ol_fail_system(failure, EISDIR, "read", path);
  if (!S_ISREG(found.st_mode) && !S_ISBLK(found.st_mode)) {
    return ol_fail(failure, OL_ARG_VALUE, "The path is not that of a file");
  }
  *size = found.st_size > 0 ? (uint64_t)found.st_size : UINT64_MAX;
#if defined(POSIX_FADV_SEQUENTIAL)
  posix_fadvise(*descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
  return OL_OK;
}

/* Reads at least a byte, unless the end is reached. */
static ol_status piece_read(int descriptor, const char *path, ol_bytes *piece,
                            ol_failure *failure) {
  ssize_t count;
  do {
    count = read(descriptor, piece->data, piece->size);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return ol_fail_system(failure, errno, "read", path);
  piece->size = (size_t)count;
  return OL_OK;
}

ol_status ol_file_read(const char *path, ol_file_take *take, void *context, ol_run *run) {
  int descriptor = -1;
  uint64_t left = 0;
  uint8_t *buffer = NULL;
  ol_status status = file_open(path, &descriptor, &left, run->failure);
  if (status != OL_OK) goto done;
  size_t capacity = left < OL_FILE_READ ? (size_t)left : OL_FILE_READ;
  buffer = malloc(capacity);
  if (buffer == NULL) {
    status = ol_fail(run->failure, OL_OUT_OF_MEMORY, "%s", "");
    goto done;
  }
  while (left > 0) {
    if (ol_run_cancelled(run)) {
      status = ol_fail(run->failure, OL_CANCELLED, "%s", "");
      break;
    }
    ol_bytes piece = {buffer, left < capacity ? (size_t)left : capacity};
    status = piece_read(descriptor, path, &piece, run->failure);
    if (status != OL_OK || piece.size == 0) break;
    left -= piece.size;
    status = take(context, piece, run);
    if (status != OL_OK) break;
  }
  OPENSSL_cleanse(buffer, capacity);
done:
  free(buffer);
  if (descriptor >= 0) close(descriptor);
  return status;
}

/* Waits until a descriptor may take something, or a while. */
static ol_status wait_writable(int descriptor, ol_run *run) {
  struct pollfd entry = {.fd = descriptor, .events = POLLOUT};
  if (poll(&entry, 1, WAIT_MILLISECONDS) < 0 && errno != EINTR) {
    return ol_fail_system(run->failure, errno, "poll", NULL);
  }
  if (ol_run_cancelled(run)) return ol_fail(run->failure, OL_CANCELLED, "%s", "");
  return OL_OK;
}

/* One write, repeated until something has been written. */
static ol_status piece_write(int descriptor, ol_bytes *piece, int64_t position, ol_run *run) {
  for (;;) {
    ssize_t count = position < 0 ? write(descriptor, piece->data, piece->size)
                                 : pwrite(descriptor, piece->data, piece->size, (off_t)position);
    if (count == 0 && piece->size > 0) return ol_fail_system(run->failure, EIO, "write", NULL);
    if (count >= 0) {
      piece->size = (size_t)count;
      return OL_OK;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      return ol_fail_system(run->failure, errno, "write", NULL);
    }
    ol_status status = wait_writable(descriptor, run);
    if (status != OL_OK) return status;
  }
}

/* Writes a whole block; *written grows. */
static ol_status block_write(int descriptor, ol_bytes block, int64_t position, size_t *written,
                             ol_run *run) {
  size_t at = 0;
  do {
    ol_bytes piece = {block.data + at, block.size - at};
    int64_t where = position < 0 ? -1 : position + (int64_t)at;
    ol_status status = piece_write(descriptor, &piece, where, run);
    if (status != OL_OK) return status;
    at += piece.size;
    *written += piece.size;
  } while (at < block.size);
  return OL_OK;
}

ol_status ol_file_write(int descriptor, ol_bytes data, int64_t position, ol_crc_sum *sum,
                        ol_run *run) {
  static uint8_t nothing;
  size_t written = 0;
  ol_status status = OL_OK;
  if (data.size == 0) data.data = &nothing;
  do {
    if (ol_run_cancelled(run)) {
      status = ol_fail(run->failure, OL_CANCELLED, "%s", "");
      break;
    }
    size_t left = data.size - written;
    ol_bytes block = {data.data + written, left < OL_FILE_WRITE ? left : OL_FILE_WRITE};
    int64_t where = position < 0 ? -1 : position + (int64_t)written;
    ol_crc_sum_add(sum, block.data, block.size);
    status = block_write(descriptor, block, where, &written, run);
  } while (status == OL_OK && written < data.size);
  if (status == OL_SYSTEM) run->failure->written = (int64_t)written;
  return status;
}

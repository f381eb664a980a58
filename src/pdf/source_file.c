#include "source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool ol_source_file_open(ol_source_file *file, const char *path, ol_system_error *error) {
  struct stat found;
  /* Without O_NONBLOCK the open itself would wait for a pipe's writer. */
  file->fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file->fd < 0) return ol_system_fail(error, "open", errno);
  if (fstat(file->fd, &found) != 0) {
    ol_system_fail(error, "fstat", errno);
    goto failed;
  }
  if (S_ISDIR(found.st_mode)) {
    ol_system_fail(error, "read", EISDIR);
    goto failed;
  }
  if (!S_ISREG(found.st_mode)) {
    ol_system_fail(error, "open", OL_NOT_A_FILE);
    goto failed;
  }
  file->size = (uint64_t)found.st_size;
  return true;
failed:
  ol_source_file_close(file);
  return false;
}

bool ol_source_file_read(const ol_source_file *file, uint64_t offset, void *buffer, size_t length,
                         size_t *read, ol_system_error *error) {
  size_t done = 0;
  while (done < length) {
    ssize_t n = pread(file->fd, (char *)buffer + done, length - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ol_system_fail(error, "read", errno);
    if (n == 0) break;
    done += (size_t)n;
  }
  *read = done;
  return true;
}

void ol_source_file_close(ol_source_file *file) {
  if (file->fd >= 0) close(file->fd);
  file->fd = -1;
}

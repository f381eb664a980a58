#include "target_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40, NAME_TRIES = 16, TEMPORARY_NAME_SIZE = 32 };

static mode_t umask_at_start = 022;

void ol_target_file_init(void) {
  umask_at_start = umask(077);
  umask(umask_at_start);
}

/* The kernel tells the umask without a change that other threads could see. */
static mode_t umask_now(void) {
  mode_t mask = umask_at_start;
  FILE *status = fopen("/proc/self/status", "re");
  if (status == NULL) return mask;
  char line[256];
  unsigned value;
  while (fgets(line, sizeof line, status) != NULL) {
    if (sscanf(line, "Umask: %o", &value) != 1) continue;
    mask = (mode_t)value;
    break;
  }
  fclose(status);
  return mask;
}

/* The directory part of `path` with its slash, and `name` after it; "name" alone if absolute. */
static char *path_beside(const char *path, const char *name) {
  const char *slash = name[0] == '/' ? NULL : strrchr(path, '/');
  size_t directory = slash == NULL ? 0 : (size_t)(slash - path) + 1;
  size_t length = strlen(name);
  char *joined = malloc(directory + length + 1);
  if (joined == NULL) return NULL;
  memcpy(joined, path, directory);
  memcpy(joined + directory, name, length + 1);
  return joined;
}

/*
 * Follows symbolic links at the end of the path, so that the rename replaces what they point at,
 * be it there yet or not. Links of directories on the way are the kernel's business.
 */
static bool links_follow(ol_target_file *file, const char *path, struct stat *found, bool *exists,
                         ol_system_error *error) {
  char text[PATH_MAX];
  if (path[0] == '\0') return ol_system_fail(error, "open", ENOENT);
  file->path = strdup(path);
  for (int links = 0; file->path != NULL; links++) {
    *exists = lstat(file->path, found) == 0;
    if (!*exists) return errno == ENOENT || ol_system_fail(error, "open", errno);
    if (!S_ISLNK(found->st_mode)) return true;
    if (links == LINKS_MAX) return ol_system_fail(error, "open", ELOOP);
    ssize_t n = readlink(file->path, text, sizeof text - 1);
    if (n < 0) return ol_system_fail(error, "readlink", errno);
    text[n] = '\0';
    char *next = path_beside(file->path, text);
    free(file->path);
    file->path = next;
  }
  return ol_system_fail(error, "open", ENOMEM);
}

static bool temporary_create(ol_target_file *file, ol_system_error *error) {
  static const char digits[] = "0123456789abcdef";
  for (int tries = 0; tries < NAME_TRIES; tries++) {
    uint8_t random[8];
    char name[TEMPORARY_NAME_SIZE] = ".offloop-";
    size_t n = strlen(name);
    if (RAND_bytes(random, sizeof random) != 1) return ol_system_fail(error, "open", EAGAIN);
    for (size_t i = 0; i < sizeof random; i++) {
      name[n++] = digits[random[i] >> 4];
      name[n++] = digits[random[i] & 15];
    }
    memcpy(name + n, ".tmp", sizeof ".tmp");
    file->temporary = path_beside(file->path, name);
    if (file->temporary == NULL) return ol_system_fail(error, "open", ENOMEM);
    file->fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file->fd >= 0) return true;
    int number = errno;
    free(file->temporary);
    file->temporary = NULL;
    if (number != EEXIST) return ol_system_fail(error, "open", number);
  }
  return ol_system_fail(error, "open", EEXIST);
}

bool ol_target_file_open(ol_target_file *file, const char *path, ol_system_error *error) {
  struct stat found;
  bool exists = false;
  memset(file, 0, sizeof *file);
  file->fd = -1;
  if (!links_follow(file, path, &found, &exists, error)) goto failed;
  if (exists) {
    if (S_ISDIR(found.st_mode)) {
      ol_system_fail(error, "open", EISDIR);
      goto failed;
    }
    if (!S_ISREG(found.st_mode)) {
      ol_system_fail(error, "open", OL_NOT_A_FILE);
      goto failed;
    }
    if (faccessat(AT_FDCWD, file->path, W_OK, AT_EACCESS) != 0) {
      ol_system_fail(error, "open", errno);
      goto failed;
    }
    file->replaces = true;
    file->mode = found.st_mode & 07777;
    file->uid = found.st_uid;
    file->gid = found.st_gid;
  }
  if (!temporary_create(file, error)) goto failed;
  return true;
failed:
  ol_target_file_discard(file);
  return false;
}

bool ol_target_file_write(ol_target_file *file, const uint8_t *data, size_t length,
                          ol_system_error *error) {
  while (length != 0) {
    ssize_t n = write(file->fd, data, length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ol_system_fail(error, "write", errno);
    data += n;
    length -= (size_t)n;
  }
  return true;
}

/* A new owner would make the set-id bits mean something else, so these go where it cannot stay. */
static bool mode_set(ol_target_file *file, ol_system_error *error) {
  mode_t mode = file->replaces ? file->mode : 0666 & ~umask_now();
  struct stat own;
  if (file->replaces) {
    if (fstat(file->fd, &own) != 0) return ol_system_fail(error, "fstat", errno);
    bool same = own.st_uid == file->uid && own.st_gid == file->gid;
    if (!same && fchown(file->fd, file->uid, file->gid) != 0) mode &= 0777;
  }
  return fchmod(file->fd, mode) == 0 || ol_system_fail(error, "fchmod", errno);
}

bool ol_target_file_commit(ol_target_file *file, ol_system_error *error) {
  if (!mode_set(file, error)) goto failed;
  /* Some file systems report a full disk only here. After EINTR the descriptor is gone too. */
  int closed = close(file->fd);
  file->fd = -1;
  if (closed != 0 && errno != EINTR) {
    ol_system_fail(error, "close", errno);
    goto failed;
  }
  if (rename(file->temporary, file->path) != 0) {
    ol_system_fail(error, "rename", errno);
    goto failed;
  }
  free(file->temporary);
  file->temporary = NULL;
  return true;
failed:
  ol_target_file_discard(file);
  return false;
}

void ol_target_file_discard(ol_target_file *file) {
  if (file->fd >= 0) close(file->fd);
  if (file->temporary != NULL) unlink(file->temporary);
  free(file->temporary);
  free(file->path);
  file->fd = -1;
  file->temporary = NULL;
  file->path = NULL;
}

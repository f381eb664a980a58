/*
 * A file that replaces another only when it is complete: written beside the target under a name
 * of its own, with mode 0600, and renamed over it at the end. Whatever fails in between leaves
 * the target as it was and nothing else behind.
 *
 * Pure C over POSIX. A target file belongs to one thread at a time.
 */
#ifndef OL_PDF_TARGET_FILE_H
#define OL_PDF_TARGET_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "system_error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int fd;          /* The temporary file, open for reading and writing; -1 when closed. */
  char *path;      /* The target with its symbolic links followed. Owned. */
  char *temporary; /* Owned; NULL when there is no temporary file (any more). */
  bool replaces;   /* There was a target already: the next two are its. */
  mode_t mode;
  uid_t uid;
  gid_t gid;
} ol_target_file;

/*
 * Notes the process's umask for systems where it can only be read by changing it. Call once,
 * before threads use the rest.
 */
void ol_target_file_init(void);

/*
 * Creates the temporary file. Fails with the system's error; EISDIR for a directory,
 * OL_NOT_A_FILE for any other target that is not a regular file, EACCES for one that may not be
 * written. On failure
 * nothing is left to clean up.
 */
bool ol_target_file_open(ol_target_file *file, const char *path, ol_system_error *error);

/* Writes all of the bytes at the file's position. */
bool ol_target_file_write(ol_target_file *file, const uint8_t *data, size_t length,
                          ol_system_error *error);

/*
 * Closes the temporary file and renames it over the target, with the old target's mode (and
 * owner, where the system lets us) or 0666 less the umask. On failure everything is removed.
 */
bool ol_target_file_commit(ol_target_file *file, ol_system_error *error);

/* Removes the temporary file, if there is one, and frees what is owned. Harmless after commit. */
void ol_target_file_discard(ol_target_file *file);

#ifdef __cplusplus
}
#endif

#endif

/* A failed system call, as it is reported to whoever named the file. */
#ifndef OL_PDF_SYSTEM_ERROR_H
#define OL_PDF_SYSTEM_ERROR_H

#include <stdbool.h>

/* No errno says that a path leads to a pipe, a socket or a device where a file is wanted. */
enum { OL_NOT_A_FILE = -1 };

typedef struct {
  int number;          /* errno or OL_NOT_A_FILE; 0 where nothing failed. */
  const char *syscall; /* Static. */
} ol_system_error;

/* Notes an error; false, so that it can be returned at once. */
static inline bool ol_system_fail(ol_system_error *error, const char *syscall, int number) {
  error->number = number;
  error->syscall = syscall;
  return false;
}

#endif

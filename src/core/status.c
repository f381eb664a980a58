#include "core/status.h"

#include <openssl/err.h>
#include <stdarg.h>
#include <stdio.h>

ol_status ol_fail(ol_failure *failure, ol_status status, const char *format, ...) {
  failure->status = status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(failure->detail, sizeof(failure->detail), format, arguments);
  va_end(arguments);
  return status;
}

ol_status ol_fail_openssl(ol_failure *failure) {
  unsigned long error = ERR_peek_last_error();
  const char *reason = error == 0 ? NULL : ERR_reason_error_string(error);
  ERR_clear_error();
  return ol_fail(failure, OL_CRYPTO, "%s", reason == NULL ? "" : reason);
}

ol_status ol_fail_system(ol_failure *failure, int error_number, const char *syscall,
                         const char *path) {
  failure->status = OL_SYSTEM;
  failure->error_number = error_number;
  failure->syscall = syscall;
  failure->path = path;
  failure->written = -1;
  failure->detail[0] = '\0';
  return OL_SYSTEM;
}

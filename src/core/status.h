/* Every outcome that native code can report: one list, from which the C enumeration and the
 * errors that JavaScript sees are both made. */
#ifndef OL_CORE_STATUS_H
#define OL_CORE_STATUS_H

#include <stddef.h>
#include <stdint.h>

/* X(name, JavaScript class, code, message). A failure's detail, if any, follows the message. */
#define OL_STATUS_LIST(X)                                                                        \
  X(OK, Error, "", "")                                                                           \
  X(CANCELLED, Error, "ABORT_ERR", "The operation was aborted")                                  \
  X(OUT_OF_MEMORY, RangeError, "ERR_MEMORY_ALLOCATION_FAILED", "Failed to allocate memory")      \
  X(ARG_TYPE, TypeError, "ERR_INVALID_ARG_TYPE", "Invalid argument type")                        \
  X(ARG_VALUE, TypeError, "ERR_INVALID_ARG_VALUE", "Invalid argument value")                     \
  X(RANGE, RangeError, "ERR_OUT_OF_RANGE", "A value is out of range")                            \
  X(KEY_LENGTH, RangeError, "ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length")                   \
  X(IV_LENGTH, TypeError, "ERR_CRYPTO_INVALID_IV", "Invalid initialization vector")              \
  X(TAG_LENGTH, TypeError, "ERR_CRYPTO_INVALID_AUTH_TAG", "Invalid authentication tag length")   \
  X(DETACHED, TypeError, "ERR_OFFLOOP_DETACHED", "The buffer has been detached")                 \
  X(AUTHENTICATION, Error, "ERR_OFFLOOP_AUTHENTICATION", "The data or its tag is not authentic") \
  X(CRYPTO, Error, "ERR_OFFLOOP_CRYPTO", "OpenSSL failed")                                       \
  X(QUEUE_FULL, Error, "ERR_OFFLOOP_QUEUE_FULL", "Too many jobs are waiting")                    \
  X(PDF_PASSWORD, Error, "ERR_OFFLOOP_PDF_PASSWORD", "The password does not open the document")  \
  X(PDF_DAMAGED, Error, "ERR_OFFLOOP_PDF_DAMAGED", "The document is damaged")                    \
  X(PDF_UNSUPPORTED, Error, "ERR_OFFLOOP_PDF_UNSUPPORTED", "The document is not supported")      \
  X(SYSTEM, Error, "", "A system call failed")

typedef enum {
#define OL_STATUS_ENUM(name, class, code, message) OL_##name,
  OL_STATUS_LIST(OL_STATUS_ENUM)
#undef OL_STATUS_ENUM
      OL_STATUS_COUNT
} ol_status;

/* What went wrong, filled by the thread on which it did. */
typedef struct {
  ol_status status;
  /* For OL_SYSTEM: a positive errno value, the call's name (static), and the path concerned
   * (borrowed from the operation's state) or NULL. */
  int error_number;
  const char *syscall;
  const char *path;
  /* For OL_SYSTEM: bytes written before the call failed; -1 where none were to be. */
  int64_t written;
  /* NUL-terminated; never holds a key, a password or data. Empty where the message says it all. */
  char detail[256];
} ol_failure;

/* Records a status and a printf-style detail. Returns the status. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
ol_status
ol_fail(ol_failure *failure, ol_status status, const char *format, ...);

/* Records the calling thread's last OpenSSL error, then clears that thread's error queue. */
ol_status ol_fail_openssl(ol_failure *failure);

/* Records a failed system call that was to write nothing. syscall is static, path outlives the
 * failure or is NULL. */
ol_status ol_fail_system(ol_failure *failure, int error_number, const char *syscall,
                         const char *path);

#endif

/*
 * Rewrites a PDF document with other encryption, or none, through libqpdf's C++ classes, and
 * tells how a document is encrypted. No exception leaves these functions.
 *
 * Any thread; several jobs at once on different threads. A job owns nothing beyond its report.
 * Nothing is ever written to standard output or standard error.
 */
#ifndef OL_PDF_RECRYPT_H
#define OL_PDF_RECRYPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "standard_handler.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  OL_PDF_OK = 0,
  OL_PDF_CANCELLED,
  OL_PDF_OUT_OF_MEMORY,
  OL_PDF_WRONG_PASSWORD, /* None of the passwords opens the source. */
  OL_PDF_UNREADABLE,     /* Damaged beyond repair, or at all where `strict` is set. */
  OL_PDF_NOT_SUPPORTED,  /* A security handler or revision that is not known; see `message`. */
  OL_PDF_SYSTEM,         /* A system call failed: system_errno, syscall, path. */
  OL_PDF_INVALID,        /* The options cannot be fulfilled; `message` says why. */
  OL_PDF_CRYPTO          /* OpenSSL refused what encryption needs. */
} ol_pdf_status;

typedef enum {
  OL_PDF_CIPHER_NONE = 0, /* Written without encryption. */
  OL_PDF_CIPHER_AES_256,  /* V5, R6 */
  OL_PDF_CIPHER_AES_128,  /* V4, R4, AESV2 */
  OL_PDF_CIPHER_RC4_128,  /* V2, R3; with cleartext metadata V4, R4 with crypt filter V2 */
  OL_PDF_CIPHER_RC4_40    /* V1, R2 */
} ol_pdf_cipher;

typedef enum {
  OL_PDF_STREAMS_PRESERVE = 0,
  OL_PDF_STREAMS_GENERATE,
  OL_PDF_STREAMS_DISABLE
} ol_pdf_object_streams;

/* Where a document comes from: a path, or, where that is NULL, bytes. Borrowed for the job. */
typedef struct {
  const char *path;
  const uint8_t *data;
  size_t length;
} ol_pdf_source;

/* All pointers are borrowed until the call returns. All-zero is a valid start: decrypt nothing. */
typedef struct {
  ol_pdf_source source;
  const char *target_path; /* NULL: the document goes to the report's `data`. */

  /* What may open the source, in the order to be tried; none counts as one empty password. */
  const ol_password *passwords;
  size_t password_count;

  ol_pdf_cipher cipher;
  /*
   * The new passwords in the revision's encoding; empty means that there is none. At most 32
   * bytes (127 for aes-256), and up to R4 the user's may hold no NUL: more is OL_PDF_INVALID.
   */
  ol_password user_password;
  ol_password owner_password;
  int32_t p;             /* /P, written exactly so. */
  bool encrypt_metadata; /* false is OL_PDF_INVALID with rc4-40. */

  int minimum_version; /* 10 to 17 or 20: the least PDF version of the output; 0: none. */
  bool linearize;
  ol_pdf_object_streams object_streams;
  bool strict;

  /*
   * Read with a relaxed atomic load; not 0 stops the job within 1 MiB of input or output. May be
   * NULL.
   */
  const volatile int *cancel;
  /* Called on the job's thread with fractions that never fall, the last one 1. May be NULL. */
  void (*progress)(void *context, double fraction);
  void *progress_context;
} ol_pdf_options;

/* What the report of a signed document warns of, whichever engine did the job. */
#define OL_PDF_SIGNATURE_WARNING "the document is signed, and its signatures no longer verify"

/* What came of a job. Filled by it whatever the status; free with ol_pdf_report_free. */
typedef struct {
  uint64_t bytes_written;
  uint8_t *data; /* The document where there is no target path: malloc'ed, bytes_written long. */
  bool repaired; /* The source was damaged; warnings say how. */
  char **warnings;
  size_t warning_count;

  char message[256];   /* What went wrong. Never holds a password. */
  int system_errno;    /* OL_PDF_SYSTEM only, as are the next two. */
  const char *syscall; /* Static. */
  char *path;
} ol_pdf_report;

typedef enum {
  OL_PDF_METHOD_NONE = 0, /* Not encrypted. */
  OL_PDF_METHOD_RC4,
  OL_PDF_METHOD_AES_128,
  OL_PDF_METHOD_AES_256,
  OL_PDF_METHOD_MIXED /* Strings, streams and attachments differ, or some stay in clear. */
} ol_pdf_method;

typedef struct {
  bool encrypted; /* If false, the rest is 0. */
  ol_pdf_method method;
  int version;  /* /V */
  int revision; /* /R */
  int key_bits;
  int32_t p;
  bool encrypt_metadata;
  unsigned opens_as; /* OL_OPENS_AS_* bits of the first password that opens it, or 0. */
} ol_pdf_encryption_info;

/* Prepares what all jobs share. Any thread, any number of times, before anything else here. */
void ol_pdf_init(void);

/* Rewrites a document. The target is replaced only by a complete one. */
ol_pdf_status ol_pdf_recrypt(const ol_pdf_options *options, ol_pdf_report *report);

/*
 * Tells how a document is encrypted. Wants no password: one that does not open the document
 * only leaves opens_as 0. `cancel` as in the options.
 */
ol_pdf_status ol_pdf_encryption(const ol_pdf_source *source, const ol_password *passwords,
                                size_t password_count, const volatile int *cancel,
                                ol_pdf_encryption_info *info, ol_pdf_report *report);

/* Frees what a report owns and empties it. Harmless on an all-zero one, and twice. */
void ol_pdf_report_free(ol_pdf_report *report);

#ifdef __cplusplus
}
#endif

#endif

/**
 * Writes the document that a plan describes: one pass over the source in file order, strings and
 * streams enciphered several at a time, everything else copied.
 *
 * One thread. Memory beyond the plan stays within a few constants, whatever the document's size,
 * unless a single object's body is larger than they are.
 */
#ifndef OL_PDF_REWRITE_H
#define OL_PDF_REWRITE_H

#include <stddef.h>
#include <stdint.h>

#include "fast_plan.h"
#include "target_file.h"

typedef enum {
  OL_REWRITE_OK,
  OL_REWRITE_CANCELLED,
  OL_REWRITE_NO_MEMORY,
  OL_REWRITE_READ_FAILED, /* plan->source.error says why; 0: the file has become shorter. */
  OL_REWRITE_WRITE_FAILED,
  OL_REWRITE_CHANGED, /* The source is no longer what was planned. */
  OL_REWRITE_CRYPTO
} ol_rewrite_status;

typedef struct {
  uint8_t *memory;       /* Room for plan->total bytes, or NULL for: */
  ol_target_file *file;  /* An open one. */
  ol_system_error error; /* Of a failed write. */
} ol_rewrite_target;

ol_rewrite_status ol_rewrite(ol_plan *plan, ol_rewrite_target *target);

#endif

/**
 * RC4 over several independent messages at once: each byte waits for the one before, so that two
 * messages take little longer than one. Any thread; nothing is kept.
 */
#ifndef OL_PDF_LANES_RC4_H
#define OL_PDF_LANES_RC4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rc4.h"

typedef struct {
  ol_rc4 state; /* Moved on by `length` bytes. The caller wipes it. */
  const uint8_t *in;
  uint8_t *out; /* May be `in` itself. */
  size_t length;
} ol_rc4_job;

/**
 * Applies each job's state to its bytes. `cancel` as for ol_cbc_encrypt; false when cancelled,
 * and what was written is then undefined. Lengths and places of the jobs are used up.
 */
bool ol_rc4_apply_many(ol_rc4_job *jobs, size_t count, const volatile int *cancel);

#endif

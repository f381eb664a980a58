/* From JavaScript values to C, by kind of parameter. The JavaScript layer has checked the types
 * already: what is checked here is what only the memory itself can tell. In `prepare` only. */
#ifndef OL_ARGS_H
#define OL_ARGS_H

#include "operation.h"

/* The bytes of a Uint8Array, held in place if the job leaves the JS thread.
 * OL_DETACHED where its buffer is detached. */
ol_status ol_args_bytes(const ol_call *call, size_t index, ol_hold_use use, ol_bytes *bytes,
                        ol_failure *failure);

/* The same in two steps, for a place that is written: first its bytes, to be checked and cut to
 * what the job needs, then the hold. With private copies only what is held is written back. */
ol_status ol_args_view(const ol_call *call, size_t index, ol_bytes *bytes, ol_failure *failure);
ol_status ol_args_hold(const ol_call *call, size_t index, ol_hold_use use, ol_bytes *bytes,
                       ol_failure *failure);

/* The bytes of a small typed array, copied to copy[0..capacity) if the job leaves the JS thread, so
 * that the caller may change it meanwhile. OL_RANGE if they do not fit. */
ol_status ol_args_small(const ol_call *call, size_t index, uint8_t *copy, size_t capacity,
                        ol_bytes *bytes, ol_failure *failure);

/* A copy of a typed array of any size, made if the job leaves the JS thread; *owned is then what
 * `release` wipes and frees, else NULL. */
ol_status ol_args_copy(const ol_call *call, size_t index, ol_bytes *bytes, uint8_t **owned,
                       ol_failure *failure);

/* Data in pieces, to be taken in this order. */
typedef struct {
  ol_bytes list[OL_PIECES_MAX];
  size_t count, size; /* the latter is that of all */
} ol_pieces;

/* All arguments from `index` up to one that is not given, or OL_PIECES_MAX, as ol_args_bytes. */
ol_status ol_args_pieces(const ol_call *call, size_t index, ol_pieces *pieces, ol_failure *failure);

uint32_t ol_args_uint32(const ol_call *call, size_t index);
uint64_t ol_args_uint64(const ol_call *call, size_t index); /* from a BigInt */
int32_t ol_args_int32(const ol_call *call, size_t index);
int64_t ol_args_int64(const ol_call *call, size_t index); /* from a number */
bool ol_args_bool(const ol_call *call, size_t index);
bool ol_args_given(const ol_call *call, size_t index); /* neither undefined nor null */

#endif

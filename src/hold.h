/* Keeps the memory under an ArrayBuffer in place while a job uses it.
 *
 * A reference to a buffer does not do that: transferring the buffer moves its memory to another
 * owner, and a collection then frees it. Holding V8's backing store (a std::shared_ptr) does. Where
 * the running process lacks the symbol, the job works on a private copy instead. */
#ifndef OL_HOLD_H
#define OL_HOLD_H

#include <node_api.h>

#include "core/bytes.h"

/* One held view. Zero-initialised: holds nothing. */
typedef struct {
  void *store[2]; /* a std::shared_ptr, in place; store[0] is NULL where a copy is used */
  uint8_t *copy;  /* owned private copy, or NULL */
  size_t size;    /* bytes of the copy */
  napi_ref view;  /* the view that a written copy goes back to, or NULL */
} ol_hold;

typedef enum { OL_HOLD_READ, OL_HOLD_WRITE } ol_hold_use;

/* Finds V8's symbol. Once, at load. */
void ol_hold_init(void);

/* Tests: whether stores are held (the default where possible) or copies made. Returns what is in
 * force from now on. JS thread. */
bool ol_hold_stores(bool wanted);

/* Holds the memory of a typed array and gives its bytes, to be used until release. False: memory
 * has run out, or the environment is failing. JS thread. */
bool ol_hold_take(ol_hold *hold, napi_env env, napi_value view, napi_value buffer, ol_hold_use use,
                  ol_bytes *bytes);

/* Lets go; a copy taken for writing is written back to its view if that is still as large, and
 * wiped. JS thread. */
void ol_hold_release(ol_hold *hold, napi_env env);

#endif

/* The C face of V8's backing stores, whose own is C++ (store.cc). JS thread only. */
#ifndef OL_STORE_H
#define OL_STORE_H

#include <node_api.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Finds V8's symbol in the running process. False: it is not there, nothing else may be called. */
bool ol_store_find(void);

/* Keeps the store behind an ArrayBuffer or SharedArrayBuffer in store, a std::shared_ptr in place.
 * False: there is none behind this handle. */
bool ol_store_take(void *store[2], napi_value buffer);

/* Lets go of it; the memory is freed with the last owner. */
void ol_store_drop(void *store[2]);

#ifdef __cplusplus
}
#endif

#endif

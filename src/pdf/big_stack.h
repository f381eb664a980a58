/*
 * Runs a function on a stack of its own, as large as it may need: for code that recurses as deeply
 * as its input says. Memory is only taken as the stack is used.
 */
#ifndef OL_PDF_BIG_STACK_H
#define OL_PDF_BIG_STACK_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs body(context) on another thread, and waits for it. False: no such thread could be made, and
 * nothing was run. */
bool ol_big_stack_run(size_t size, void (*body)(void *context), void *context);

#ifdef __cplusplus
}
#endif

#endif

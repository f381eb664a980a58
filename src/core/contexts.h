/* OpenSSL contexts kept from one job to the next: making one costs more than a small job. A set
 * belongs to one thread at a time. Contexts hold no key between jobs: a cipher context is reset
 * when its job ends, and a digest that has run to its end holds its output alone. */
#ifndef OL_CORE_CONTEXTS_H
#define OL_CORE_CONTEXTS_H

#include <openssl/evp.h>

#include "core/bytes.h"
#include "core/status.h"

/* Algorithms numbered past this many still work; their contexts just are not kept. */
#define OL_CONTEXTS_KEPT 48

/* Zero-initialise before use; dispose when the owning thread or drain ends. */
typedef struct {
  EVP_CIPHER_CTX *cipher;
  EVP_MD_CTX *digest[OL_CONTEXTS_KEPT];
} ol_contexts;

void ol_contexts_dispose(ol_contexts *contexts);

/* What running work may use: contexts of the running thread, a flag that another thread may set
 * to stop it (NULL: cannot be stopped), where to say what failed, and where to say how many bytes
 * were written. */
typedef struct {
  ol_contexts *contexts;
  ol_flag *cancel;
  ol_failure *failure;
  uint64_t written;
} ol_run;

static inline bool ol_run_cancelled(const ol_run *run) {
  return run->cancel != NULL && ol_flag_get(run->cancel);
}

#endif

#include "core/contexts.h"

void ol_contexts_dispose(ol_contexts *contexts) {
  EVP_CIPHER_CTX_free(contexts->cipher);
  contexts->cipher = NULL;
  for (size_t i = 0; i < OL_CONTEXTS_KEPT; i++) {
    EVP_MD_CTX_free(contexts->digest[i]);
    contexts->digest[i] = NULL;
  }
}

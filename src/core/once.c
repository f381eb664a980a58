#include "core/once.h"

static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
static CRYPTO_RWLOCK *lock;

static void make_lock(void) {
  lock = CRYPTO_THREAD_lock_new();
}

CRYPTO_RWLOCK *ol_table_lock(void) {
  return CRYPTO_THREAD_run_once(&once, make_lock) ? lock : NULL;
}

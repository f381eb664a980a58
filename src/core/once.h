/*
 * The lock of the algorithm tables, made once per process.
 */
#ifndef OL_CORE_ONCE_H
#define OL_CORE_ONCE_H

#include <openssl/crypto.h>

/* Any thread. NULL if it could not be made (out of memory). */
CRYPTO_RWLOCK *ol_table_lock(void);

#endif

/* Byte ranges, and the context in which work on them runs. */
#ifndef OL_CORE_BYTES_H
#define OL_CORE_BYTES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set by one thread to ask another to stop; never unset while work looks at it. */
typedef atomic_int ol_flag;
#define ol_flag_set(flag) atomic_store_explicit((flag), 1, memory_order_relaxed)
#define ol_flag_get(flag) (atomic_load_explicit((flag), memory_order_relaxed) != 0)

/* Borrowed bytes: whoever hands them over keeps them alive and in place. data may be NULL where
 * size is 0. */
typedef struct {
  uint8_t *data;
  size_t size;
} ol_bytes;

/* Work between two looks at the cancel flag, and the most that OpenSSL's int lengths are fed. */
#define OL_CHUNK ((size_t)1 << 20)

/* True if the two ranges share a byte. */
static inline bool ol_bytes_overlap(ol_bytes a, ol_bytes b) {
  if (a.size == 0 || b.size == 0) return false;
  uintptr_t x = (uintptr_t)a.data, y = (uintptr_t)b.data;
  return x < y ? y - x < a.size : x - y < b.size;
}

static inline ol_bytes ol_bytes_first(ol_bytes bytes, size_t size) {
  return (ol_bytes){bytes.data, size < bytes.size ? size : bytes.size};
}

#endif

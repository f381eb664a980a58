/*
 * CRCs of any reflected polynomial up to 64 bits, at the speed of carry-less multiplication.
 *
 * The first call of any function here derives all constants from the polynomials (some 50 µs);
 * from then on everything but ol_crc_force is free of locks and may be called on any thread.
 */
#ifndef OL_CORE_CRC_H
#define OL_CORE_CRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One polynomial with its constants. Lives as long as the process. */
typedef struct ol_crc ol_crc;

/* The CRC named so ("crc32", "crc32c", "crc32k", "crc64nvme"), or NULL. */
const ol_crc *ol_crc_find(const char *name);

/* The CRC in this row of the table, or NULL past the last one. */
const ol_crc *ol_crc_at(size_t index);

const char *ol_crc_name(const ol_crc *crc);

/* 32 or 64. A value of `crc` has this many bits; those above are zero. */
unsigned ol_crc_width(const ol_crc *crc);

/* The polynomial without its leading term, reflected: the coefficient of x^0 is the top bit. */
uint64_t ol_crc_polynomial(const ol_crc *crc);

/*
 * The value of a message that is `data` appended to a message whose value is `value` (0 for the
 * empty one). `data` may be NULL if `size` is 0. All CRCs here start from, and are finished
 * by, all ones.
 */
uint64_t ol_crc_update(const ol_crc *crc, uint64_t value, const uint8_t *data, size_t size);

/*
 * The value of two messages one after the other, from their values and the length in bytes of
 * the second. Takes time in the number of bits of the length.
 */
uint64_t ol_crc_combine(const ol_crc *crc, uint64_t first, uint64_t second, uint64_t second_size);

/* A value that grows with what is summed. */
typedef struct {
  const ol_crc *crc;
  uint64_t value;
} ol_crc_sum;

static inline void ol_crc_sum_add(ol_crc_sum *sum, const uint8_t *data, size_t size) {
  sum->value = ol_crc_update(sum->crc, sum->value, data, size);
}

/* x^exponent modulo the polynomial, reflected in the CRC's width. */
uint64_t ol_crc_power(const ol_crc *crc, uint64_t exponent);

/*
 * The kernels, fastest first: their names on every platform, NULL past the last one, and whether
 * this machine can run them.
 */
const char *ol_crc_kernel_name(size_t index);
bool ol_crc_kernel_available(size_t index);

/* The name of the kernel in use. */
const char *ol_crc_kernel_active(void);

/*
 * For tests and benchmarks: use the kernel named so, or with NULL the fastest again. False, and
 * nothing changes, if there is none of this name or this machine cannot run it. Only while no
 * other thread is in ol_crc_update.
 */
bool ol_crc_force(const char *name);

#endif

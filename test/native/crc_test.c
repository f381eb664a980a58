/*
 * The CRC engine without Node: every kernel that this machine can run against a bit-at-a-time
 * reference, the derived constants against published ones, combine against an independent method.
 */
#include "core/crc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/crc_impl.h"

#define LENGTH_MAX 1100
#define ALIGNMENTS 64

/* xorshift64*; reproducible on every platform. */
static uint64_t next_random(void) {
  static uint64_t state = 0x9e3779b97f4a7c15;
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1d;
}

static void fill_random(uint8_t *data, size_t size) {
  for (size_t i = 0; i < size; i++)
    data[i] = (uint8_t)(next_random() >> 56);
}

static uint64_t all_ones(const ol_crc *crc) {
  return UINT64_MAX >> (64 - ol_crc_width(crc));
}

/* The register after one more byte, one bit at a time. */
static uint64_t reference_step(const ol_crc *crc, uint64_t state, uint8_t byte) {
  state ^= byte;
  for (int bit = 0; bit < 8; bit++) {
    state = state & 1 ? (state >> 1) ^ ol_crc_polynomial(crc) : state >> 1;
  }
  return state;
}

static uint64_t reference(const ol_crc *crc, uint64_t value, const uint8_t *data, size_t size) {
  uint64_t state = value ^ all_ones(crc);
  for (size_t i = 0; i < size; i++)
    state = reference_step(crc, state, data[i]);
  return state ^ all_ones(crc);
}

/* Runs `test` for each polynomial on each kernel that this machine has. */
static void for_each_kernel(void (*test)(const ol_crc *)) {
  const char *kernel;
  for (size_t k = 0; (kernel = ol_crc_kernel_name(k)) != NULL; k++) {
    if (!ol_crc_kernel_available(k)) continue;
    CHECK(ol_crc_force(kernel));
    CHECK(strcmp(ol_crc_kernel_active(), kernel) == 0);
    const ol_crc *crc;
    for (size_t i = 0; (crc = ol_crc_at(i)) != NULL; i++)
      test(crc);
  }
  CHECK(ol_crc_force(NULL));
}

static void tell_kernels(void) {
  const char *kernel;
  for (size_t k = 0; (kernel = ol_crc_kernel_name(k)) != NULL; k++) {
    bool available = ol_crc_kernel_available(k);
    printf("kernel %s: %s\n", kernel, available ? "tested" : "skipped, this machine lacks it");
    if (!available) CHECK(!ol_crc_force(kernel));
  }
  CHECK(!ol_crc_force("no such kernel"));
}

static void test_table(void) {
  CHECK(ol_crc_find("no such crc") == NULL);
  const ol_crc *crc;
  size_t count = 0;
  for (; (crc = ol_crc_at(count)) != NULL; count++)
    CHECK(ol_crc_find(ol_crc_name(crc)) == crc);
  CHECK(count == 4);
}

static void test_check_value(const ol_crc *crc) {
  static const struct {
    const char *name;
    uint64_t value;
  } rows[] = {
      {"crc32", 0xcbf43926},
      {"crc32c", 0xe3069283},
      {"crc32k", 0x2d3dd0ae},
      {"crc64nvme", 0xae8b14860a799888},
  };
  bool found = false;
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    if (strcmp(rows[i].name, ol_crc_name(crc)) != 0) continue;
    found = true;
    uint64_t value = ol_crc_update(crc, 0, (const uint8_t *)"123456789", 9);
    CHECK_MESSAGE(value == rows[i].value, "%s on %s: %" PRIx64, ol_crc_name(crc),
                  ol_crc_kernel_active(), value);
  }
  CHECK(found);
}

/* Every length at one alignment, each in a block that ends where the data ends, so that
   AddressSanitizer sees a load past it. */
static void test_lengths_at(const ol_crc *crc, size_t alignment, const uint8_t *data) {
  uint64_t value = next_random() & all_ones(crc);
  uint64_t state = value ^ all_ones(crc);
  for (size_t size = 0; size <= LENGTH_MAX; size++) {
    void *block = NULL;
    if (!CHECK(posix_memalign(&block, ALIGNMENTS, alignment + size + (size == 0)) == 0)) return;
    uint8_t *bytes = (uint8_t *)block + alignment;
    memcpy(bytes, data, size);
    uint64_t got = ol_crc_update(crc, value, bytes, size);
    CHECK_MESSAGE(got == (state ^ all_ones(crc)), "%s on %s, %zu bytes at %zu", ol_crc_name(crc),
                  ol_crc_kernel_active(), size, alignment);
    free(block);
    state = reference_step(crc, state, data[size]);
  }
}

static void test_lengths(const ol_crc *crc) {
  uint8_t data[LENGTH_MAX + 1];
  fill_random(data, sizeof(data));
  for (size_t alignment = 0; alignment < ALIGNMENTS; alignment++) {
    test_lengths_at(crc, alignment, data);
  }
  CHECK(ol_crc_update(crc, 1234567, NULL, 0) == 1234567);
}

static void test_splits(const ol_crc *crc) {
  uint8_t data[300];
  fill_random(data, sizeof(data));
  uint64_t whole = reference(crc, 0, data, sizeof(data));
  for (size_t at = 0; at <= sizeof(data); at++) {
    uint64_t first = ol_crc_update(crc, 0, data, at);
    uint64_t second = ol_crc_update(crc, 0, data + at, sizeof(data) - at);
    CHECK(ol_crc_update(crc, first, data + at, sizeof(data) - at) == whole);
    CHECK(ol_crc_combine(crc, first, second, sizeof(data) - at) == whole);
  }
}

static void test_large(const ol_crc *crc) {
  size_t size = 300001;
  uint8_t *data = malloc(size);
  if (!CHECK(data != NULL)) return;
  fill_random(data, size);
  CHECK(ol_crc_update(crc, 99, data, size) == reference(crc, 99, data, size));
  free(data);
}

/* column[i]: what bit i of a register becomes. */
typedef struct {
  uint64_t column[64];
} matrix;

static uint64_t matrix_apply(const matrix *m, uint64_t vector) {
  uint64_t sum = 0;
  for (int i = 0; i < 64; i++)
    sum ^= vector >> i & 1 ? m->column[i] : 0;
  return sum;
}

/* Combine by powers of the linear map "one byte of zeros", which knows nothing of polynomials. */
static uint64_t reference_combine(const ol_crc *crc, uint64_t first, uint64_t second,
                                  uint64_t second_size) {
  matrix zeros;
  for (int i = 0; i < 64; i++)
    zeros.column[i] = reference_step(crc, (uint64_t)1 << i, 0);
  for (; second_size != 0; second_size >>= 1) {
    if (second_size & 1) first = matrix_apply(&zeros, first);
    matrix square;
    for (int i = 0; i < 64; i++)
      square.column[i] = matrix_apply(&zeros, zeros.column[i]);
    zeros = square;
  }
  return first ^ second;
}

static void test_combine(void) {
  static const uint64_t sizes[] = {
      0,           1,          2,          3,           255,         4097,
      65536,       1000000007, 0xffffffff, 0x100000000, 0x100000001, (uint64_t)1 << 40,
      0x123456789, INT64_MAX,  UINT64_MAX,
  };
  const ol_crc *crc;
  for (size_t i = 0; (crc = ol_crc_at(i)) != NULL; i++) {
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
      uint64_t first = next_random() & all_ones(crc);
      uint64_t second = next_random() & all_ones(crc);
      uint64_t expected = reference_combine(crc, first, second, sizes[s]);
      CHECK_MESSAGE(ol_crc_combine(crc, first, second, sizes[s]) == expected, "%s, %" PRIu64,
                    ol_crc_name(crc), sizes[s]);
    }
  }
}

/*
 * Published: Intel's paper "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
 * Instruction" (IEEE: k1 to k5, written with a factor x, that is shifted left by one, P and mu of
 * 33 bits); the Linux kernel's crc-pclmul-consts.h (both polynomials, and mu of 64 bits).
 */
static void test_published_constants(void) {
  const ol_crc *ieee = ol_crc_find("crc32");
  CHECK(ol_crc_power(ieee, 4 * 128 + 32) << 1 == 0x154442bd4);
  CHECK(ol_crc_power(ieee, 4 * 128 - 32) << 1 == 0x1c6e41596);
  CHECK(ol_crc_power(ieee, 128 + 32) << 1 == 0x1751997d0);
  CHECK(ol_crc_power(ieee, 128 - 32) << 1 == 0x0ccaa009e);
  CHECK(ol_crc_power(ieee, 64) << 1 == 0x163cd6124);
  CHECK((ol_crc_polynomial(ieee) << 1 | 1) == 0x1db710641);

  CHECK(ieee->fold[2][0] == 0x8f352d95 && ieee->fold[2][1] == 0x1d9513d7);
  CHECK(ieee->fold[0][0] == 0xae689191 && ieee->fold[0][1] == 0xccaa009e);
  CHECK(ieee->reduce_quotient == 0xb4e5b025f7011641);
  CHECK((ieee->reduce_quotient & 0x1ffffffff) == 0x1f7011641);

  const ol_crc *castagnoli = ol_crc_find("crc32c");
  CHECK(castagnoli->fold[4][0] == 0xdcb17aa4 && castagnoli->fold[4][1] == 0xb9e02b86);
  CHECK(castagnoli->fold[3][0] == 0x6992cea2 && castagnoli->fold[3][1] == 0x0d3b6092);
  CHECK(castagnoli->fold[2][0] == 0x740eef02 && castagnoli->fold[2][1] == 0x9e4addf8);
  CHECK(castagnoli->fold[1][0] == 0x3da6d0cb && castagnoli->fold[1][1] == 0xba4fc28e);
  CHECK(castagnoli->fold[0][0] == 0xf20c0dfe && castagnoli->fold[0][1] == 0x493c7d27);
  CHECK(castagnoli->reduce_quotient == 0x4869ec38dea713f1);
}

int main(void) {
  tell_kernels();
  test_table();
  test_published_constants();
  test_combine();
  for_each_kernel(test_check_value);
  for_each_kernel(test_lengths);
  for_each_kernel(test_splits);
  for_each_kernel(test_large);
  return check_summary();
}

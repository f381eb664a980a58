#include "core/crc_impl.h"

#include <string.h>

#include "core/cpu.h"
#include "core/run_once.h"

/* A new polynomial is one more row. */
static ol_crc crcs[] = {
    {.name = "crc32", .width = 32, .polynomial = 0xedb88320},
    {.name = "crc32c", .width = 32, .polynomial = 0x82f63b78},
    {.name = "crc32k", .width = 32, .polynomial = 0xeb31d82e},
    {.name = "crc64nvme", .width = 64, .polynomial = 0x9a6c9329ac4bc9b5},
};

/* Fastest first; the last one runs everywhere. */
static const ol_crc_kernel *const kernels[] = {
    &ol_crc_vpclmulqdq,
    &ol_crc_pclmulqdq,
    &ol_crc_pmull,
    &ol_crc_slice16,
};

enum {
  CRC_COUNT = sizeof(crcs) / sizeof(crcs[0]),
  KERNEL_COUNT = sizeof(kernels) / sizeof(kernels[0]),
};

static ol_once guard = OL_ONCE_INIT;
static const ol_crc_kernel *active;

/* a * x mod Q */
static uint64_t multiply_by_x(const ol_crc *crc, uint64_t a) {
  return (a >> 1) ^ (crc->polynomial & (0 - (a & 1)));
}

/* a * b mod Q, by Horner's rule from the highest coefficient of b, which is bit 0. */
static uint64_t multiply(const ol_crc *crc, uint64_t a, uint64_t b) {
  uint64_t product = 0;
  for (int i = 0; i < 64; i++) {
    product = multiply_by_x(crc, product) ^ (a & (0 - ((b >> i) & 1)));
  }
  return product;
}

/* a * x^(8 * size) mod Q */
static uint64_t shift_bytes(const ol_crc *crc, uint64_t a, uint64_t size) {
  for (int k = 0; size != 0; k++, size >>= 1) {
    if (size & 1) a = multiply(crc, a, crc->powers[k]);
  }
  return a;
}

/* x^exponent mod Q, where Q has degree 64 whatever the width */
static uint64_t power(const ol_crc *crc, uint64_t exponent) {
  uint64_t a = (uint64_t)1 << 63;
  for (unsigned i = 0; i < exponent % 8; i++)
    a = multiply_by_x(crc, a);
  return shift_bytes(crc, a, exponent / 8);
}

/* floor(x^128 / Q) by long division; see reduce_quotient. */
static uint64_t divide_by_modulus(const ol_crc *crc) {
  uint64_t quotient = 1;                /* x^64 */
  uint64_t remainder = crc->polynomial; /* x^128 - x^64 * Q, divided by x^64 */
  for (int i = 1; i < 64; i++) {
    quotient |= (remainder & 1) << i;
    remainder = multiply_by_x(crc, remainder);
  }
  return quotient;
}

static void derive_powers(ol_crc *crc) {
  crc->powers[0] = (uint64_t)1 << (63 - 8);
  for (int k = 1; k < OL_CRC_POWERS; k++) {
    crc->powers[k] = multiply(crc, crc->powers[k - 1], crc->powers[k - 1]);
  }
}

static void derive_folds(ol_crc *crc) {
  for (int k = 0; k < OL_CRC_FOLDS; k++) {
    uint64_t distance = (uint64_t)128 << k;
    crc->fold[k][0] = power(crc, distance + 63);
    crc->fold[k][1] = power(crc, distance - 1);
  }
  for (int lane = 0; lane < 3; lane++) {
    uint64_t distance = 128 * (uint64_t)(3 - lane);
    crc->fold_lanes[2 * lane] = power(crc, distance + 63);
    crc->fold_lanes[2 * lane + 1] = power(crc, distance - 1);
  }
  crc->reduce_fold = power(crc, 127);
  crc->reduce_quotient = divide_by_modulus(crc);
  crc->reduce_modulus = crc->polynomial << 1 | 1;
  crc->reduce_unit = 0 - (crc->polynomial >> 63);
}

static void derive_slices(ol_crc *crc) {
  for (unsigned byte = 0; byte < 256; byte++) {
    uint64_t state = byte;
    for (int i = 0; i < 8; i++)
      state = multiply_by_x(crc, state);
    crc->slices[0][byte] = state;
  }
  for (int k = 1; k < OL_CRC_SLICES; k++) {
    for (unsigned byte = 0; byte < 256; byte++) {
      uint64_t state = crc->slices[k - 1][byte];
      crc->slices[k][byte] = (state >> 8) ^ crc->slices[0][state & 0xff];
    }
  }
}

static bool is_available(const ol_crc_kernel *kernel) {
  return kernel->update != NULL && ol_cpu_has(kernel->cpu);
}

static const ol_crc_kernel *find_fastest(void) {
  size_t i = 0;
  while (!is_available(kernels[i]))
    i++;
  return kernels[i];
}

static void derive_all(void) {
  for (size_t i = 0; i < CRC_COUNT; i++) {
    crcs[i].mask = UINT64_MAX >> (64 - crcs[i].width);
    derive_powers(&crcs[i]);
    derive_folds(&crcs[i]);
    derive_slices(&crcs[i]);
  }
  active = find_fastest();
}

const ol_crc *ol_crc_at(size_t index) {
  ol_once_run(&guard, derive_all);
  return index < CRC_COUNT ? &crcs[index] : NULL;
}

const ol_crc *ol_crc_find(const char *name) {
  const ol_crc *crc;
  for (size_t i = 0; (crc = ol_crc_at(i)) != NULL; i++) {
    if (strcmp(crc->name, name) == 0) return crc;
  }
  return NULL;
}

const char *ol_crc_name(const ol_crc *crc) {
  return crc->name;
}

unsigned ol_crc_width(const ol_crc *crc) {
  return crc->width;
}

uint64_t ol_crc_polynomial(const ol_crc *crc) {
  return crc->polynomial;
}

uint64_t ol_crc_update(const ol_crc *crc, uint64_t value, const uint8_t *data, size_t size) {
  return active->update(crc, value ^ crc->mask, data, size) ^ crc->mask;
}

uint64_t ol_crc_combine(const ol_crc *crc, uint64_t first, uint64_t second, uint64_t second_size) {
  /* The initial and final inversions cancel out: the second message's own start from all ones
     stands for the inversion at the end of the first. */
  return shift_bytes(crc, first, second_size) ^ second;
}

uint64_t ol_crc_power(const ol_crc *crc, uint64_t exponent) {
  return shift_bytes(crc, power(crc, 64 - crc->width + exponent % 8), exponent / 8);
}

const char *ol_crc_kernel_name(size_t index) {
  return index < KERNEL_COUNT ? kernels[index]->name : NULL;
}

bool ol_crc_kernel_available(size_t index) {
  return index < KERNEL_COUNT && is_available(kernels[index]);
}

const char *ol_crc_kernel_active(void) {
  ol_once_run(&guard, derive_all);
  return active->name;
}

bool ol_crc_force(const char *name) {
  ol_once_run(&guard, derive_all);
  if (name == NULL) {
    active = find_fastest();
    return true;
  }
  for (size_t i = 0; i < KERNEL_COUNT; i++) {
    if (strcmp(kernels[i]->name, name) != 0) continue;
    if (!is_available(kernels[i])) return false;
    active = kernels[i];
    return true;
  }
  return false;
}

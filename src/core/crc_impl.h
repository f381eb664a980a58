/*
 * What the kernels see of a CRC. Not for use outside src/core/crc*.
 *
 * Every CRC is computed as one of 64 bits. A polynomial P of degree w < 64 stands for
 * Q = P * x^(64 - w): M * x^64 mod Q = (M * x^w mod P) * x^(64 - w), and in a reflected register,
 * where bit i is the coefficient of x^(63 - i), the factor x^(64 - w) is no shift at all. The
 * register of a 32-bit CRC is thus its low half, its polynomial the zero-extended one, and one
 * kernel serves all widths.
 *
 * The product of two reflected 64-bit registers is a reflected 127-bit one. Read as 128 bits it
 * has gained a factor x, which is why all exponents below are one less than the distance.
 */
#ifndef OL_CORE_CRC_IMPL_H
#define OL_CORE_CRC_IMPL_H

#include "core/crc.h"

enum { OL_CRC_FOLDS = 6, OL_CRC_SLICES = 16, OL_CRC_POWERS = 64 };

struct ol_crc {
  const char *name;
  unsigned width;
  uint64_t polynomial;

  /* From here on derived. */
  uint64_t mask; /* `width` ones */

  /*
   * fold[k] moves 128 bits forward by d = 128 << k bits: { x^(d + 63), x^(d - 1) } mod Q, the
   * factors of the first and the last 8 bytes.
   */
  uint64_t fold[OL_CRC_FOLDS][2];

  /* The same for the four lanes of 512 bits at once, onto the last one, whose own is 0. */
  uint64_t fold_lanes[8];

  uint64_t reduce_fold;     /* x^127 mod Q */
  uint64_t reduce_quotient; /* floor(x^128 / Q), reflected, without the coefficient of x^0 */
  uint64_t reduce_modulus;  /* Q, reflected, x^64 in bit 0, without the coefficient of x^0 */
  uint64_t reduce_unit;     /* all ones if that coefficient is 1, else 0 */

  /* powers[k] = x^(8 * 2^k) mod Q: over 2^k bytes. */
  uint64_t powers[OL_CRC_POWERS];

  /* slices[k][b]: the register after the byte b and k bytes of zeros. */
  uint64_t slices[OL_CRC_SLICES][256];
};

/*
 * A kernel moves a register (not inverted) over `size` bytes; size may be 0. `update` is NULL
 * where the kernel is not compiled in; else it runs where the CPU has all of `cpu`.
 */
typedef struct {
  const char *name;
  uint32_t cpu; /* OL_CPU_* */
  uint64_t (*update)(const ol_crc *crc, uint64_t state, const uint8_t *data, size_t size);
} ol_crc_kernel;

extern const ol_crc_kernel ol_crc_vpclmulqdq;
extern const ol_crc_kernel ol_crc_pclmulqdq;
extern const ol_crc_kernel ol_crc_pmull;
extern const ol_crc_kernel ol_crc_slice16;

/* Little-endian loads from any address; compilers make one instruction of each. */
static inline uint32_t ol_crc_load32(const uint8_t *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t ol_crc_load64(const uint8_t *p) {
  return ol_crc_load32(p) | (uint64_t)ol_crc_load32(p + 4) << 32;
}

/* 1 to 7 bytes as a little-endian number, read without touching what lies around them. */
static inline uint64_t ol_crc_load_partial(const uint8_t *p, size_t size) {
  if (size >= 4) {
    /* The two loads overlap in bytes that are equal in both. */
    return ol_crc_load32(p) | (uint64_t)ol_crc_load32(p + size - 4) << (8 * (size - 4));
  }
  size_t middle = size / 2;
  return p[0] | (uint64_t)p[middle] << (8 * middle) | (uint64_t)p[size - 1] << (8 * (size - 1));
}

#endif

/*
 * What this processor can do and this operating system allows: a feature is reported only if the
 * registers that it needs are saved on a context switch (XGETBV), so that its instructions may
 * be used at once. Asked of the hardware once per process; any thread.
 */
#ifndef OL_CORE_CPU_H
#define OL_CORE_CPU_H

#include <stdbool.h>
#include <stdint.h>

enum {
  OL_CPU_SSSE3 = 1 << 0,
  OL_CPU_SSE41 = 1 << 1,
  OL_CPU_PCLMULQDQ = 1 << 2,
  OL_CPU_AESNI = 1 << 3,
  OL_CPU_AVX2 = 1 << 4,
  OL_CPU_AVX512 = 1 << 5, /* F, BW, DQ and VL together */
  OL_CPU_VAES = 1 << 6,
  OL_CPU_VPCLMULQDQ = 1 << 7,
  OL_CPU_PMULL = 1 << 8, /* AArch64: 64-bit polynomial multiplication */
  OL_CPU_AES = 1 << 9,   /* AArch64: AES rounds */
};

/* The set of OL_CPU_* features. */
uint32_t ol_cpu_features(void);

/* True if every one of `features` is there. */
static inline bool ol_cpu_has(uint32_t features) {
  return (ol_cpu_features() & features) == features;
}

#endif

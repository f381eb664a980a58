/*
 * The kernel for x86-64 with AVX-512 and VPCLMULQDQ: 64 bytes per multiplication.
 */
#include "core/cpu.h"
#include "core/crc_impl.h"

#if defined(__x86_64__) || defined(_M_X64)

#include "core/crc_x86.h"

#ifdef _MSC_VER
#define TARGET
#else
#define TARGET \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq,pclmul,sse4.1")))
#endif

#define XOR3 0x96 /* the truth table of a ^ b ^ c */
#define vec_xor3(a, b, c) _mm_ternarylogic_epi64(a, b, c, XOR3)

#include "core/crc_fold.h"

/* Below this many bytes 128-bit vectors are faster, and spare the processor the warm-up of its
   wide units. */
enum { WIDE_MINIMUM = 256 };

TARGET static inline __m512i load512(const uint8_t *p) {
  return _mm512_loadu_si512((const void *)p);
}

TARGET static inline __m512i fold512(__m512i x, __m512i factors, __m512i next) {
  return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(x, factors, 0x00),
                                   _mm512_clmulepi64_epi128(x, factors, 0x11), next, XOR3);
}

TARGET static inline __m512i fold512_factors(const ol_crc *crc, int k) {
  return _mm512_broadcast_i32x4(fold_factors(crc, k));
}

/* The four lanes of x folded onto the last one. */
TARGET static inline vec fold_lanes(const ol_crc *crc, __m512i x) {
  __m512i last = _mm512_maskz_mov_epi64(0xc0, x);
  x = fold512(x, load512((const uint8_t *)crc->fold_lanes), last);
  __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
  return vec_xor(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

TARGET static uint64_t update_wide(const ol_crc *crc, uint64_t state, const uint8_t *data,
                                   size_t size) {
  __m512i x0 = _mm512_xor_si512(load512(data), _mm512_zextsi128_si512(vec_make(state, 0)));
  __m512i x1 = load512(data + 64);
  __m512i x2 = load512(data + 128);
  __m512i x3 = load512(data + 192);
  data += 256;
  size -= 256;

  __m512i factors = fold512_factors(crc, 4);
  for (; size >= 256; data += 256, size -= 256) {
    x0 = fold512(x0, factors, load512(data));
    x1 = fold512(x1, factors, load512(data + 64));
    x2 = fold512(x2, factors, load512(data + 128));
    x3 = fold512(x3, factors, load512(data + 192));
  }

  factors = fold512_factors(crc, 3);
  x0 = fold512(x0, factors, x2);
  x1 = fold512(x1, factors, x3);
  factors = fold512_factors(crc, 2);
  x0 = fold512(x0, factors, x1);
  for (; size >= 64; data += 64, size -= 64)
    x0 = fold512(x0, factors, load512(data));
  return finish_with(crc, fold_lanes(crc, x0), data, size);
}

TARGET static uint64_t fold_data(const ol_crc *crc, uint64_t state, const uint8_t *data,
                                 size_t size) {
  if (size < WIDE_MINIMUM) return update_vectors(crc, state, data, size);
  return update_wide(crc, state, data, size);
}

#else

#define fold_data NULL

#endif

const ol_crc_kernel ol_crc_vpclmulqdq = {
    .name = "vpclmulqdq",
    .cpu = OL_CPU_AVX512 | OL_CPU_VPCLMULQDQ | OL_CPU_PCLMULQDQ | OL_CPU_SSE41 | OL_CPU_SSSE3,
    .update = fold_data,
};

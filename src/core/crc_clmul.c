/*
 * The kernel for x86-64 with PCLMULQDQ and SSE4.1.
 */
#include "core/cpu.h"
#include "core/crc_impl.h"

#if defined(__x86_64__) || defined(_M_X64)

#include "core/crc_x86.h"

#ifdef _MSC_VER
#define TARGET
#else
#define TARGET __attribute__((target("pclmul,sse4.1")))
#endif

#define vec_xor3(a, b, c) _mm_xor_si128(_mm_xor_si128(a, b), c)

#include "core/crc_fold.h"

TARGET static uint64_t fold_data(const ol_crc *crc, uint64_t state, const uint8_t *data,
                                 size_t size) {
  return update_vectors(crc, state, data, size);
}

#else

#define fold_data NULL

#endif

const ol_crc_kernel ol_crc_pclmulqdq = {
    .name = "pclmulqdq",
    .cpu = OL_CPU_PCLMULQDQ | OL_CPU_SSE41 | OL_CPU_SSSE3,
    .update = fold_data,
};

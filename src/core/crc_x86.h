/*
 * The vector operations of crc_fold.h in SSE4.1 and PCLMULQDQ. Macros, so that they take on the
 * instruction set of the function that uses them.
 */
#ifndef OL_CORE_CRC_X86_H
#define OL_CORE_CRC_X86_H

#include <immintrin.h>

#define vec __m128i
#define vec_load(p) _mm_loadu_si128((const __m128i *)(p))
#define vec_make(low, high) _mm_set_epi64x((long long)(high), (long long)(low))
#define vec_low(v) ((uint64_t)_mm_cvtsi128_si64(v))
#define vec_high(v) ((uint64_t)_mm_extract_epi64(v, 1))
#define vec_high_alone(v) _mm_srli_si128(v, 8)
#define vec_xor(a, b) _mm_xor_si128(a, b)
#define vec_multiply_low(a, b) _mm_clmulepi64_si128(a, b, 0x00)
#define vec_multiply_high(a, b) _mm_clmulepi64_si128(a, b, 0x11)
#define vec_shuffle(v, index) _mm_shuffle_epi8(v, index)
#define vec_choose(a, b, index) _mm_blendv_epi8(a, b, index)

#endif

/*
 * The kernel for AArch64 with the cryptographic extension's PMULL.
 */
#include "core/cpu.h"
#include "core/crc_impl.h"

/* Clang's header offers the intrinsic to functions with a target attribute from version 16 on;
   before that the whole build must aim at a processor that has it, as on Apple's. */
#if defined(__aarch64__) && defined(__ARM_FEATURE_AES)
#define OL_PMULL 1
#define TARGET
#elif defined(__aarch64__) && defined(__clang__) && __clang_major__ >= 16
#define OL_PMULL 1
#define TARGET __attribute__((target("aes")))
#elif defined(__aarch64__) && defined(__GNUC__) && !defined(__clang__)
#define OL_PMULL 1
#define TARGET __attribute__((target("+crypto")))
#endif

#if defined(OL_PMULL) && !defined(__AARCH64EB__)

#include <arm_neon.h>

#define vec uint8x16_t
#define vec_load(p) vld1q_u8(p)
#define vec_make(low, high) vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)))
#define vec_low(v) vgetq_lane_u64(vreinterpretq_u64_u8(v), 0)
#define vec_high(v) vgetq_lane_u64(vreinterpretq_u64_u8(v), 1)
#define vec_high_alone(v) vextq_u8(v, vdupq_n_u8(0), 8)
#define vec_xor(a, b) veorq_u8(a, b)
#define vec_xor3(a, b, c) veorq_u8(veorq_u8(a, b), c)
#define vec_multiply_low(a, b) \
  vreinterpretq_u8_p128(vmull_p64((poly64_t)vec_low(a), (poly64_t)vec_low(b)))
#define vec_multiply_high(a, b) \
  vreinterpretq_u8_p128(vmull_high_p64(vreinterpretq_p64_u8(a), vreinterpretq_p64_u8(b)))
#define vec_shuffle(v, index) vqtbl1q_u8(v, index)
#define vec_choose(a, b, index) vbslq_u8(vcgeq_u8(index, vdupq_n_u8(0x80)), b, a)

#include "core/crc_fold.h"

TARGET static uint64_t fold_data(const ol_crc *crc, uint64_t state, const uint8_t *data,
                                 size_t size) {
  return update_vectors(crc, state, data, size);
}

#else

#define fold_data NULL

#endif

const ol_crc_kernel ol_crc_pmull = {.name = "pmull", .cpu = OL_CPU_PMULL, .update = fold_data};

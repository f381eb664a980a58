#include "lanes_schedule.h"

#if defined(__aarch64__) && defined(__GNUC__)

#include <arm_neon.h>
#include <string.h>

#if defined(__clang__)
#define OL_TARGET_AES __attribute__((target("aes")))
#else
#define OL_TARGET_AES __attribute__((target("+crypto")))
#endif

enum { ARM_LANES = 8 };

/* The S-box over four bytes, by the AES instruction: equal columns leave ShiftRows without effect.
 */
OL_TARGET_AES static uint32_t substitute(uint32_t word) {
  uint8x16_t state = vreinterpretq_u8_u32(vdupq_n_u32(word));
  return vgetq_lane_u32(vreinterpretq_u32_u8(vaeseq_u8(state, vdupq_n_u8(0))), 0);
}

OL_TARGET_AES static void expand(const uint8_t *key, size_t key_bytes,
                                 uint8_t (*round_keys)[OL_AES_BLOCK]) {
  size_t n = key_bytes / 4, total = 4 * (n + 7);
  uint32_t w[4 * (OL_AES_ROUNDS_MAX + 1)], constant = 1;
  memcpy(w, key, key_bytes);
  for (size_t i = n; i < total; i++) {
    uint32_t word = w[i - 1];
    if (i % n == 0) {
      word = substitute(word >> 8 | word << 24) ^ constant;
      constant = constant << 1 ^ (constant >> 7) * 0x11b;
    } else if (n == 8 && i % n == 4) {
      word = substitute(word);
    }
    w[i] = w[i - n] ^ word;
  }
  memcpy(round_keys, w, total * 4);
  for (volatile uint32_t *p = w; p < w + total; p++)
    *p = 0;
}

#define EACH_LANE for (int j = 0; j < ARM_LANES; j++)

/* AESE adds the round key before it substitutes, so the last key is added apart. */
OL_TARGET_AES static void run(ol_lanes_state *state, size_t blocks) {
  uint8x16_t s[ARM_LANES];
  size_t length = blocks * OL_AES_BLOCK;
  int last = state->rounds;
  EACH_LANE s[j] = vld1q_u8(state->chain[j]);
  for (size_t at = 0; at < length; at += OL_AES_BLOCK) {
    EACH_LANE s[j] = veorq_u8(s[j], vld1q_u8(state->in[j] + at));
    for (int r = 0; r < last - 1; r++) {
      EACH_LANE s[j] = vaesmcq_u8(vaeseq_u8(s[j], vld1q_u8(state->keys[r][j])));
    }
    EACH_LANE {
      s[j] = vaeseq_u8(s[j], vld1q_u8(state->keys[last - 1][j]));
      s[j] = veorq_u8(s[j], vld1q_u8(state->keys[last][j]));
    }
    EACH_LANE vst1q_u8(state->out[j] + at, s[j]);
  }
  EACH_LANE {
    vst1q_u8(state->chain[j], s[j]);
    state->in[j] += length;
    state->out[j] += length;
  }
}

const ol_lanes_kernel *ol_lanes_arm(void) {
  static const ol_lanes_kernel kernel = {ARM_LANES, run, expand};
  return &kernel;
}

#else

const ol_lanes_kernel *ol_lanes_arm(void) {
  return NULL;
}

#endif

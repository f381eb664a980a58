#include "lanes_schedule.h"

#if defined(__x86_64__) || defined(_M_X64)

#include <immintrin.h>

#if defined(__GNUC__)
#define OL_TARGET(features) __attribute__((target(features)))
#else
#define OL_TARGET(features)
#endif

enum { AESNI_LANES = 8, VAES_LANES = 16, VAES_REGISTERS = 4 };

/* One step of the key schedule: `word` is what the last word of the keys before became. */
OL_TARGET("aes") static inline __m128i spread(__m128i key, __m128i word) {
  key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
  key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
  return _mm_xor_si128(key, word);
}

/* The assisting instruction wants its round constant in the code, hence macros. */
#define ROTATED(key, constant) _mm_shuffle_epi32(_mm_aeskeygenassist_si128((key), (constant)), 0xff)
#define STRAIGHT(key) _mm_shuffle_epi32(_mm_aeskeygenassist_si128((key), 0), 0xaa)

#define STEP_128(i, constant)          \
  a = spread(a, ROTATED(a, constant)); \
  _mm_storeu_si128(out + (i), a);

OL_TARGET("aes") static void expand_128(const uint8_t *key, __m128i *out) {
  __m128i a = _mm_loadu_si128((const __m128i *)key);
  _mm_storeu_si128(out, a);
  STEP_128(1, 0x01)
  STEP_128(2, 0x02)
  STEP_128(3, 0x04)
  STEP_128(4, 0x08)
  STEP_128(5, 0x10)
  STEP_128(6, 0x20)
  STEP_128(7, 0x40)
  STEP_128(8, 0x80)
  STEP_128(9, 0x1b)
  STEP_128(10, 0x36)
}

#define STEP_256(i, constant)           \
  a = spread(a, ROTATED(b, constant));  \
  _mm_storeu_si128(out + (i), a);       \
  if ((i) < 14) {                       \
    b = spread(b, STRAIGHT(a));         \
    _mm_storeu_si128(out + (i) + 1, b); \
  }

OL_TARGET("aes") static void expand_256(const uint8_t *key, __m128i *out) {
  __m128i a = _mm_loadu_si128((const __m128i *)key);
  __m128i b = _mm_loadu_si128((const __m128i *)(key + OL_AES_BLOCK));
  _mm_storeu_si128(out, a);
  _mm_storeu_si128(out + 1, b);
  STEP_256(2, 0x01)
  STEP_256(4, 0x02)
  STEP_256(6, 0x04)
  STEP_256(8, 0x08)
  STEP_256(10, 0x10)
  STEP_256(12, 0x20)
  STEP_256(14, 0x40)
}

static void expand(const uint8_t *key, size_t key_bytes, uint8_t (*round_keys)[OL_AES_BLOCK]) {
  if (key_bytes == 32) {
    expand_256(key, (__m128i *)round_keys);
  } else {
    expand_128(key, (__m128i *)round_keys);
  }
}

#define EACH_LANE for (int j = 0; j < AESNI_LANES; j++)

OL_TARGET("aes") static void run_aesni(ol_lanes_state *state, size_t blocks) {
  __m128i s[AESNI_LANES];
  size_t length = blocks * OL_AES_BLOCK;
  int last = state->rounds;
  EACH_LANE s[j] = _mm_load_si128((const __m128i *)state->chain[j]);
  for (size_t at = 0; at < length; at += OL_AES_BLOCK) {
    EACH_LANE {
      __m128i in = _mm_loadu_si128((const __m128i *)(state->in[j] + at));
      in = _mm_xor_si128(in, _mm_load_si128((const __m128i *)state->keys[0][j]));
      s[j] = _mm_xor_si128(s[j], in);
    }
    for (int r = 1; r < last; r++) {
      EACH_LANE s[j] = _mm_aesenc_si128(s[j], *(const __m128i *)state->keys[r][j]);
    }
    EACH_LANE s[j] = _mm_aesenclast_si128(s[j], *(const __m128i *)state->keys[last][j]);
    EACH_LANE _mm_storeu_si128((__m128i *)(state->out[j] + at), s[j]);
  }
  EACH_LANE {
    _mm_store_si128((__m128i *)state->chain[j], s[j]);
    state->in[j] += length;
    state->out[j] += length;
  }
}

#define LOAD(j) _mm_loadu_si128((const __m128i *)(state->in[j] + at))
#define STORE(j, part) _mm_storeu_si128((__m128i *)(state->out[j] + at), (part))
#define EACH_REGISTER for (int z = 0; z < VAES_REGISTERS; z++)

OL_TARGET("aes,avx512f,avx512vl,avx512dq,vaes")
static void run_vaes(ol_lanes_state *state, size_t blocks) {
  __m512i s[VAES_REGISTERS];
  size_t length = blocks * OL_AES_BLOCK;
  int last = state->rounds;
  EACH_REGISTER s[z] = _mm512_load_si512(state->chain[4 * z]);
  for (size_t at = 0; at < length; at += OL_AES_BLOCK) {
    EACH_REGISTER {
      __m512i in = _mm512_castsi128_si512(LOAD(4 * z));
      in = _mm512_inserti32x4(in, LOAD(4 * z + 1), 1);
      in = _mm512_inserti32x4(in, LOAD(4 * z + 2), 2);
      in = _mm512_inserti32x4(in, LOAD(4 * z + 3), 3);
      s[z] = _mm512_ternarylogic_epi64(s[z], in, _mm512_load_si512(state->keys[0][4 * z]), 0x96);
    }
    for (int r = 1; r < last; r++) {
      EACH_REGISTER s[z] = _mm512_aesenc_epi128(s[z], _mm512_load_si512(state->keys[r][4 * z]));
    }
    EACH_REGISTER {
      s[z] = _mm512_aesenclast_epi128(s[z], _mm512_load_si512(state->keys[last][4 * z]));
    }
    EACH_REGISTER {
      STORE(4 * z, _mm512_castsi512_si128(s[z]));
      STORE(4 * z + 1, _mm512_extracti32x4_epi32(s[z], 1));
      STORE(4 * z + 2, _mm512_extracti32x4_epi32(s[z], 2));
      STORE(4 * z + 3, _mm512_extracti32x4_epi32(s[z], 3));
    }
  }
  EACH_REGISTER _mm512_store_si512(state->chain[4 * z], s[z]);
  for (int j = 0; j < VAES_LANES; j++) {
    state->in[j] += length;
    state->out[j] += length;
  }
  _mm256_zeroupper();
}

const ol_lanes_kernel *ol_lanes_aesni(void) {
  static const ol_lanes_kernel kernel = {AESNI_LANES, run_aesni, expand};
  return &kernel;
}

const ol_lanes_kernel *ol_lanes_vaes(void) {
  static const ol_lanes_kernel kernel = {VAES_LANES, run_vaes, expand};
  return &kernel;
}

#else

const ol_lanes_kernel *ol_lanes_aesni(void) {
  return NULL;
}

const ol_lanes_kernel *ol_lanes_vaes(void) {
  return NULL;
}

#endif

#include "rc4.h"

void ol_rc4_init(ol_rc4 *state, const uint8_t *key, size_t key_length) {
  for (unsigned k = 0; k < 256; k++)
    state->s[k] = (uint8_t)k;
  uint8_t j = 0;
  for (unsigned k = 0; k < 256; k++) {
    uint8_t t = state->s[k];
    j = (uint8_t)(j + t + key[k % key_length]);
    state->s[k] = state->s[j];
    state->s[j] = t;
  }
  state->i = 0;
  state->j = 0;
}

void ol_rc4_apply(ol_rc4 *state, const uint8_t *in, uint8_t *out, size_t length) {
  uint8_t i = state->i;
  uint8_t j = state->j;
  uint8_t *s = state->s;
  for (size_t k = 0; k < length; k++) {
    i = (uint8_t)(i + 1);
    uint8_t a = s[i];
    j = (uint8_t)(j + a);
    uint8_t b = s[j];
    s[i] = b;
    s[j] = a;
    out[k] = in[k] ^ s[(uint8_t)(a + b)];
  }
  state->i = i;
  state->j = j;
}

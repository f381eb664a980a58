/*
 * Folding by carry-less multiplication over 128-bit vectors, written once for every instruction
 * set. The including file first defines
 *
 *   TARGET                        attributes of every function here (its instruction set)
 *   vec                           a 128-bit vector; byte 0 is the lowest
 *   vec_load(const uint8_t *)     from any address
 *   vec_make(low, high)           of two uint64_t
 *   vec_low(v), vec_high(v)       its 64-bit halves
 *   vec_high_alone(v)             the high half moved to the low one, zeros above
 *   vec_xor(a, b), vec_xor3(a, b, c)
 *   vec_multiply_low(a, b), vec_multiply_high(a, b)    carry-less, of the low or high halves
 *   vec_shuffle(v, index)         byte i is v[index[i]], or 0 where index[i] >= 0x80
 *   vec_choose(a, b, index)       byte i is b's where index[i] >= 0x80, else a's
 *
 * Method: Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction"
 * (Intel, 2009), with the constants of crc_impl.h.
 */

/* Any 16 bytes from offset 16 - n are an index that moves the first n bytes of a vector to its
   end; from offset 16 + n, one that moves all but the first n bytes to its start. */
static const uint8_t shift_index[48] = {
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15,
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
};

/* The factors that fold over 128 << k bits. */
TARGET static inline vec fold_factors(const ol_crc *crc, int k) {
  return vec_make(crc->fold[k][0], crc->fold[k][1]);
}

/* x moved over the distance of `factors`, onto `next`. */
TARGET static inline vec fold(vec x, vec factors, vec next) {
  return vec_xor3(vec_multiply_low(x, factors), vec_multiply_high(x, factors), next);
}

/* t mod Q, by Barrett: the quotient from the upper 64 coefficients, which are the low half. */
TARGET static inline uint64_t reduce(const ol_crc *crc, vec t) {
  vec quotient = vec_multiply_low(t, vec_make(crc->reduce_quotient, 0));
  vec product = vec_multiply_low(quotient, vec_make(crc->reduce_modulus, 0));
  return vec_high(vec_xor(product, t)) ^ (vec_low(quotient) & crc->reduce_unit);
}

/* x * x^64 mod Q: the register after the 16 bytes of x. */
TARGET static inline uint64_t finish(const ol_crc *crc, vec x) {
  vec folded = vec_multiply_low(x, vec_make(crc->reduce_fold, 0));
  return reduce(crc, vec_xor(folded, vec_high_alone(x)));
}

/* The register after the 16 bytes of x and `size` bytes of data, which at least 16 readable
   bytes precede. */
TARGET static inline uint64_t finish_with(const ol_crc *crc, vec x, const uint8_t *data,
                                          size_t size) {
  vec factors = fold_factors(crc, 0);
  for (; size >= 16; data += 16, size -= 16)
    x = fold(x, factors, vec_load(data));
  if (size == 0) return finish(crc, x);

  /* The 16 + size bytes left are cut anew: into `size` bytes behind zeros, and the last 16. */
  vec first = vec_shuffle(x, vec_load(shift_index + size));
  vec index = vec_load(shift_index + 16 + size);
  vec last = vec_choose(vec_shuffle(x, index), vec_load(data + size - 16), index);
  return finish(crc, fold(first, factors, last));
}

/* Fewer than 16 bytes. */
TARGET static inline uint64_t update_short(const ol_crc *crc, uint64_t state, const uint8_t *data,
                                           size_t size) {
  if (size == 0) return state;
  if (size < 8) {
    /* Of the register only `size` bytes meet data; the others move up unchanged. */
    uint64_t bytes = (state ^ ol_crc_load_partial(data, size)) << (64 - 8 * size);
    return reduce(crc, vec_make(bytes, 0)) ^ (state >> (8 * size));
  }
  uint64_t low = state ^ ol_crc_load64(data);
  if (size == 8) return reduce(crc, vec_make(low, 0));
  uint64_t high = ol_crc_load64(data + size - 8) >> (8 * (16 - size));
  return finish(crc, vec_shuffle(vec_make(low, high), vec_load(shift_index + size)));
}

/* Eight vectors side by side hide the latency of the multiplications. */
TARGET static inline uint64_t update_vectors(const ol_crc *crc, uint64_t state, const uint8_t *data,
                                             size_t size) {
  if (size < 16) return update_short(crc, state, data, size);

  vec x[8];
  x[0] = vec_xor(vec_load(data), vec_make(state, 0));
  if (size < 128) return finish_with(crc, x[0], data + 16, size - 16);

  for (int i = 1; i < 8; i++)
    x[i] = vec_load(data + 16 * i);
  data += 128;
  size -= 128;
  vec factors = fold_factors(crc, 3);
  for (; size >= 128; data += 128, size -= 128) {
    for (int i = 0; i < 8; i++)
      x[i] = fold(x[i], factors, vec_load(data + 16 * i));
  }

  factors = fold_factors(crc, 2);
  for (int i = 0; i < 4; i++)
    x[i] = fold(x[i], factors, x[i + 4]);
  factors = fold_factors(crc, 1);
  for (int i = 0; i < 2; i++)
    x[i] = fold(x[i], factors, x[i + 2]);
  return finish_with(crc, fold(x[0], fold_factors(crc, 0), x[1]), data, size);
}

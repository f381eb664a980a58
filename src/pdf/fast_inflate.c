#include "fast_inflate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BITS = 15, FAST_BITS = 9, LITERALS = 288, DISTANCES = 30 };

/* A canonical Huffman code: a table for codes of up to FAST_BITS, counting for longer ones. */
typedef struct {
  uint16_t fast[1 << FAST_BITS]; /* symbol << 4 | length; 0 for longer or unused codes. */
  uint16_t count[MAX_BITS + 1];
  uint16_t symbols[LITERALS];
} huffman;

typedef struct {
  const uint8_t *p, *end;
  uint64_t bits;
  unsigned bit_count;
  size_t limit;
  ol_inflate_buffer *out;
  ol_inflate_status status;
} inflater;

static bool fail(inflater *s, ol_inflate_status status) {
  s->status = status;
  return false;
}

static void refill(inflater *s) {
  while (s->bit_count <= 56 && s->p < s->end) {
    s->bits |= (uint64_t)*s->p++ << s->bit_count;
    s->bit_count += 8;
  }
}

static bool take_bits(inflater *s, unsigned count, unsigned *value) {
  refill(s);
  if (s->bit_count < count) return fail(s, OL_INFLATE_DAMAGED);
  *value = (unsigned)(s->bits & ((1u << count) - 1));
  s->bits >>= count;
  s->bit_count -= count;
  return true;
}

static unsigned reverse(unsigned code, unsigned length) {
  unsigned result = 0;
  for (; length > 0; length--, code >>= 1)
    result = result << 1 | (code & 1);
  return result;
}

/* False for an over-subscribed code, or an incomplete one of more than one symbol. */
static bool huffman_build(huffman *h, const uint8_t *lengths, unsigned n) {
  uint16_t offsets[MAX_BITS + 2];
  int left = 1;
  unsigned code = 0, used = 0;
  memset(h, 0, sizeof *h);
  for (unsigned i = 0; i < n; i++)
    h->count[lengths[i]]++;
  used = n - h->count[0];
  h->count[0] = 0;
  for (int i = 1; i <= MAX_BITS; i++) {
    left = left * 2 - h->count[i];
    if (left < 0) return false;
  }
  if (left > 0 && used > 1) return false;
  offsets[1] = 0;
  for (int i = 1; i <= MAX_BITS; i++)
    offsets[i + 1] = (uint16_t)(offsets[i] + h->count[i]);
  for (unsigned i = 0; i < n; i++) {
    if (lengths[i]) h->symbols[offsets[lengths[i]]++] = (uint16_t)i;
  }
  for (unsigned length = 1, k = 0; length <= FAST_BITS; length++, code <<= 1) {
    for (unsigned i = 0; i < h->count[length]; i++, k++, code++) {
      for (unsigned j = reverse(code, length); j < 1 << FAST_BITS; j += 1u << length) {
        h->fast[j] = (uint16_t)(h->symbols[k] << 4 | length);
      }
    }
  }
  return true;
}

static bool decode_long(inflater *s, const huffman *h, unsigned *symbol) {
  unsigned code = 0, first = 0, index = 0;
  for (unsigned length = 1; length <= MAX_BITS && length <= s->bit_count; length++) {
    code = code << 1 | (unsigned)(s->bits >> (length - 1) & 1);
    if (code - first < h->count[length]) {
      *symbol = h->symbols[index + code - first];
      s->bits >>= length;
      s->bit_count -= length;
      return true;
    }
    index += h->count[length];
    first = (first + h->count[length]) << 1;
  }
  return fail(s, OL_INFLATE_DAMAGED);
}

static bool decode(inflater *s, const huffman *h, unsigned *symbol) {
  unsigned entry;
  refill(s);
  entry = h->fast[s->bits & ((1 << FAST_BITS) - 1)];
  if (entry == 0 || (entry & 15) > s->bit_count) return decode_long(s, h, symbol);
  s->bits >>= entry & 15;
  s->bit_count -= entry & 15;
  *symbol = entry >> 4;
  return true;
}

static bool reserve(inflater *s, size_t more) {
  ol_inflate_buffer *out = s->out;
  size_t need = out->length + more, capacity = out->capacity;
  if (need <= capacity) return true;
  if (need > s->limit) return fail(s, OL_INFLATE_TOO_LARGE);
  capacity = capacity ? capacity : 4096;
  while (capacity < need)
    capacity *= 2;
  uint8_t *bytes = realloc(out->bytes, capacity);
  if (!bytes) return fail(s, OL_INFLATE_NO_MEMORY);
  out->bytes = bytes;
  out->capacity = capacity;
  return true;
}

static bool copy_match(inflater *s, unsigned symbol, const huffman *distances) {
  static const uint16_t length_base[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                           15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                           67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const uint8_t length_extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                           2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  ol_inflate_buffer *out = s->out;
  unsigned length, distance, extra;
  if (symbol >= 29 || !take_bits(s, length_extra[symbol], &extra)) {
    return fail(s, OL_INFLATE_DAMAGED);
  }
  length = length_base[symbol] + extra;
  if (!decode(s, distances, &symbol)) return false;
  if (symbol >= DISTANCES) return fail(s, OL_INFLATE_DAMAGED);
  if (symbol < 4) {
    distance = symbol + 1;
  } else {
    unsigned bits = symbol / 2 - 1;
    if (!take_bits(s, bits, &extra)) return false;
    distance = ((2 + symbol % 2) << bits) + extra + 1;
  }
  if (distance > out->length) return fail(s, OL_INFLATE_DAMAGED);
  if (!reserve(s, length)) return false;
  for (uint8_t *to = out->bytes + out->length, *last = to + length; to < last; to++) {
    *to = *(to - distance);
  }
  out->length += length;
  return true;
}

static bool inflate_codes(inflater *s, const huffman *literals, const huffman *distances) {
  unsigned symbol;
  for (;;) {
    if (!decode(s, literals, &symbol)) return false;
    if (symbol < 256) {
      if (!reserve(s, 1)) return false;
      s->out->bytes[s->out->length++] = (uint8_t)symbol;
    } else if (symbol == 256) {
      return true;
    } else if (!copy_match(s, symbol - 257, distances)) {
      return false;
    }
  }
}

static bool inflate_stored(inflater *s) {
  unsigned length, check, drop;
  if (!take_bits(s, s->bit_count & 7, &drop) || !take_bits(s, 16, &length) ||
      !take_bits(s, 16, &check)) {
    return false;
  }
  if ((length ^ check) != 0xffff) return fail(s, OL_INFLATE_DAMAGED);
  /* Whole bytes wait in the bit buffer: give them back. */
  s->p -= s->bit_count / 8;
  s->bits = s->bit_count = 0;
  if (length > (size_t)(s->end - s->p)) return fail(s, OL_INFLATE_DAMAGED);
  if (length == 0) return true;
  if (!reserve(s, length)) return false;
  memcpy(s->out->bytes + s->out->length, s->p, length);
  s->out->length += length;
  s->p += length;
  return true;
}

static bool inflate_fixed(inflater *s) {
  uint8_t lengths[LITERALS];
  huffman literals, distances;
  memset(lengths, 8, 144);
  memset(lengths + 144, 9, 112);
  memset(lengths + 256, 7, 24);
  memset(lengths + 280, 8, 8);
  huffman_build(&literals, lengths, LITERALS);
  memset(lengths, 5, 32);
  huffman_build(&distances, lengths, 32);
  return inflate_codes(s, &literals, &distances);
}

static bool read_lengths(inflater *s, const huffman *codes, uint8_t *lengths, unsigned total) {
  for (unsigned i = 0; i < total;) {
    unsigned symbol, repeat, previous = 0;
    if (!decode(s, codes, &symbol)) return false;
    if (symbol < 16) {
      lengths[i++] = (uint8_t)symbol;
      continue;
    }
    if (symbol == 16) {
      if (i == 0) return fail(s, OL_INFLATE_DAMAGED);
      previous = lengths[i - 1];
    }
    if (!take_bits(s, symbol == 16 ? 2 : symbol == 17 ? 3 : 7, &repeat)) return false;
    repeat += symbol == 18 ? 11 : 3;
    if (repeat > total - i) return fail(s, OL_INFLATE_DAMAGED);
    memset(lengths + i, (int)previous, repeat);
    i += repeat;
  }
  return true;
}

static bool inflate_dynamic(inflater *s) {
  static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
  uint8_t lengths[320] = {0};
  huffman literals, distances;
  unsigned n_literals, n_distances, n_codes, value;
  if (!take_bits(s, 5, &n_literals) || !take_bits(s, 5, &n_distances) ||
      !take_bits(s, 4, &n_codes)) {
    return false;
  }
  n_literals += 257;
  n_distances += 1;
  if (n_literals > 286 || n_distances > DISTANCES) return fail(s, OL_INFLATE_DAMAGED);
  for (unsigned i = 0; i < n_codes + 4; i++) {
    if (!take_bits(s, 3, &value)) return false;
    lengths[order[i]] = (uint8_t)value;
  }
  if (!huffman_build(&literals, lengths, 19)) return fail(s, OL_INFLATE_DAMAGED);
  memset(lengths, 0, sizeof lengths);
  if (!read_lengths(s, &literals, lengths, n_literals + n_distances)) return false;
  if (lengths[256] == 0 || !huffman_build(&literals, lengths, n_literals) ||
      !huffman_build(&distances, lengths + n_literals, n_distances)) {
    return fail(s, OL_INFLATE_DAMAGED);
  }
  return inflate_codes(s, &literals, &distances);
}

static uint32_t adler32(const uint8_t *p, size_t length) {
  uint32_t a = 1, b = 0;
  while (length > 0) {
    size_t run = length < 5552 ? length : 5552;
    length -= run;
    for (; run > 0; run--) {
      a += *p++;
      b += a;
    }
    a %= 65521;
    b %= 65521;
  }
  return b << 16 | a;
}

static bool check_adler(inflater *s) {
  uint32_t expected = 0;
  unsigned byte;
  s->bits >>= s->bit_count & 7;
  s->bit_count -= s->bit_count & 7;
  for (int i = 0; i < 4; i++) {
    if (!take_bits(s, 8, &byte)) return false;
    expected = expected << 8 | byte;
  }
  if (adler32(s->out->bytes, s->out->length) != expected) return fail(s, OL_INFLATE_DAMAGED);
  return true;
}

ol_inflate_status ol_inflate(const uint8_t *in, size_t length, size_t limit,
                             ol_inflate_buffer *out) {
  inflater s = {.end = in + length, .limit = limit, .out = out};
  unsigned last = 0, type;
  bool ok = true;
  out->length = 0;
  if (length < 6 || (in[0] & 15) != 8 || in[0] >> 4 > 7 || (in[0] << 8 | in[1]) % 31 ||
      (in[1] & 32)) {
    return OL_INFLATE_DAMAGED;
  }
  s.p = in + 2;
  while (ok && !last) {
    ok = take_bits(&s, 1, &last) && take_bits(&s, 2, &type);
    if (!ok) break;
    ok = type == 0   ? inflate_stored(&s)
         : type == 1 ? inflate_fixed(&s)
         : type == 2 ? inflate_dynamic(&s)
                     : fail(&s, OL_INFLATE_DAMAGED);
  }
  if (ok) check_adler(&s);
  return s.status;
}

static uint8_t paeth(int a, int b, int c) {
  int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
  return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

ol_inflate_status ol_png_unpredict(ol_inflate_buffer *buffer, size_t row_length,
                                   size_t pixel_length) {
  const uint8_t *in = buffer->bytes;
  uint8_t *out = buffer->bytes;
  size_t rows = buffer->length / (row_length + 1);
  if (buffer->length % (row_length + 1)) return OL_INFLATE_DAMAGED;
  for (size_t r = 0; r < rows; r++, out += row_length) {
    uint8_t type = *in++;
    if (type > 4) return OL_INFLATE_DAMAGED;
    for (size_t i = 0; i < row_length; i++) {
      int left = i >= pixel_length ? *(out + i - pixel_length) : 0;
      int up = r > 0 ? *(out + i - row_length) : 0;
      int corner = r > 0 && i >= pixel_length ? *(out + i - row_length - pixel_length) : 0;
      int add = type == 1   ? left
                : type == 2 ? up
                : type == 3 ? (left + up) / 2
                : type == 4 ? paeth(left, up, corner)
                            : 0;
      out[i] = (uint8_t)(*in++ + add);
    }
  }
  buffer->length = rows * row_length;
  return OL_INFLATE_OK;
}

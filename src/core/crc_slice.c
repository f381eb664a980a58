/*
 * Slicing by 16: sixteen bytes per step through sixteen tables, for processors without carry-less
 * multiplication. Portable C.
 */
#include "core/crc_impl.h"

static uint64_t look_up8(const uint64_t (*slices)[256], uint64_t bytes) {
  return slices[7][bytes & 0xff] ^ slices[6][bytes >> 8 & 0xff] ^ slices[5][bytes >> 16 & 0xff] ^
         slices[4][bytes >> 24 & 0xff] ^ slices[3][bytes >> 32 & 0xff] ^
         slices[2][bytes >> 40 & 0xff] ^ slices[1][bytes >> 48 & 0xff] ^ slices[0][bytes >> 56];
}

static uint64_t update(const ol_crc *crc, uint64_t state, const uint8_t *data, size_t size) {
  for (; size >= 16; data += 16, size -= 16) {
    state = look_up8(crc->slices + 8, state ^ ol_crc_load64(data)) ^
            look_up8(crc->slices, ol_crc_load64(data + 8));
  }
  if (size >= 8) {
    state = look_up8(crc->slices, state ^ ol_crc_load64(data));
    data += 8;
    size -= 8;
  }
  for (; size > 0; data++, size--) {
    state = (state >> 8) ^ crc->slices[0][(state ^ *data) & 0xff];
  }
  return state;
}

const ol_crc_kernel ol_crc_slice16 = {.name = "slice16", .cpu = 0, .update = update};

/**
 * Shared by the hardware implementations of lanes.h: hands jobs to lanes as these fall idle.
 */
#ifndef OL_PDF_LANES_SCHEDULE_H
#define OL_PDF_LANES_SCHEDULE_H

#include "lanes.h"

/*
 * What a kernel works on. Every lane has its own input, output, chaining block and round keys;
 * keys are stored round by round, lane by lane, so that a wide register loads several lanes' at
 * once. An idle lane repeats a busy one to the letter, hence writes what is written anyway.
 */
typedef struct {
  _Alignas(64) uint8_t keys[OL_AES_ROUNDS_MAX + 1][OL_LANES_MAX][OL_AES_BLOCK];
  _Alignas(64) uint8_t chain[OL_LANES_MAX][OL_AES_BLOCK];
  const uint8_t *in[OL_LANES_MAX];
  uint8_t *out[OL_LANES_MAX];
  int rounds; /* 10 or 14. */
} ol_lanes_state;

typedef struct {
  int lanes;
  /* Enciphers `blocks` blocks in every lane and moves in and out on. Reads a step's blocks of
   * all lanes before it writes any. */
  void (*run)(ol_lanes_state *state, size_t blocks);
  /* Round keys, rounds + 1 blocks. */
  void (*expand)(const uint8_t *key, size_t key_bytes, uint8_t (*round_keys)[OL_AES_BLOCK]);
} ol_lanes_kernel;

ol_lanes_status ol_lanes_schedule(const ol_lanes_kernel *kernel, ol_cbc_job *jobs, size_t count,
                                  size_t key_bytes, const volatile int *cancel);

/* NULL where the build is for another processor. The caller sees to it that this one has it. */
const ol_lanes_kernel *ol_lanes_aesni(void);
const ol_lanes_kernel *ol_lanes_vaes(void);
const ol_lanes_kernel *ol_lanes_arm(void);

#endif

#include "lanes_rc4.h"

#include "lanes.h"

enum { LANES = 2, BYTES_AT_ONCE = 512 << 10 }; /* A MiB in all between looks at `cancel`. */

/* Indices and sums of two states (more would not fit a processor's registers), spelled out so that
 * they stay in registers. */
#define DECLARE(n)                                                                    \
  uint8_t *s##n = jobs[n]->state.s, i##n = jobs[n]->state.i, j##n = jobs[n]->state.j; \
  const uint8_t *in##n = jobs[n]->in;                                                 \
  uint8_t *out##n = jobs[n]->out, a##n, b##n

#define STEP(n)                  \
  i##n++;                        \
  a##n = s##n[i##n];             \
  j##n = (uint8_t)(j##n + a##n); \
  b##n = s##n[j##n];             \
  s##n[i##n] = b##n;             \
  s##n[j##n] = a##n;             \
  out##n[k] = in##n[k] ^ s##n[(uint8_t)(a##n + b##n)]

#define STORE(n)           \
  jobs[n]->state.i = i##n; \
  jobs[n]->state.j = j##n; \
  jobs[n]->in += length;   \
  jobs[n]->out += length;  \
  jobs[n]->length -= length

static void apply_two(ol_rc4_job *const jobs[LANES], size_t length) {
  DECLARE(0);
  DECLARE(1);
  for (size_t k = 0; k < length; k++) {
    STEP(0);
    STEP(1);
  }
  STORE(0);
  STORE(1);
}

static bool apply_rest(ol_rc4_job *job, const volatile int *cancel) {
  while (job->length > 0) {
    size_t piece = job->length < BYTES_AT_ONCE ? job->length : BYTES_AT_ONCE;
    if (ol_is_set(cancel)) return false;
    ol_rc4_apply(&job->state, job->in, job->out, piece);
    job->in += piece;
    job->out += piece;
    job->length -= piece;
  }
  return true;
}

bool ol_rc4_apply_many(ol_rc4_job *jobs, size_t count, const volatile int *cancel) {
  ol_rc4_job *lanes[LANES];
  size_t next = 0, busy = 0;
  for (;;) {
    size_t step = BYTES_AT_ONCE;
    while (busy < LANES && next < count) {
      if (jobs[next].length > 0) lanes[busy++] = &jobs[next];
      next++;
    }
    if (busy < LANES) break;
    for (size_t i = 0; i < LANES; i++) {
      if (lanes[i]->length < step) step = lanes[i]->length;
    }
    if (ol_is_set(cancel)) return false;
    apply_two(lanes, step);
    for (size_t i = 0; i < busy;) {
      if (lanes[i]->length == 0) {
        lanes[i] = lanes[--busy];
      } else {
        i++;
      }
    }
  }
  while (busy > 0) {
    if (!apply_rest(lanes[--busy], cancel)) return false;
  }
  return true;
}

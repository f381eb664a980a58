#include "lanes_schedule.h"

#include <string.h>

enum { BLOCKS_AT_ONCE = 4096 }; /* 64 KiB a lane, 1 MiB in all, between looks at `cancel`. */

typedef struct {
  ol_cbc_job *job; /* NULL: idle. */
  size_t blocks;   /* Left in this part: whole blocks, or the one of padding. */
  bool tail;       /* The block of padding is still to come. */
  const uint8_t *key;
  uint8_t padding[OL_AES_BLOCK];
} lane;

typedef struct {
  ol_lanes_state state;
  uint8_t schedule[OL_AES_ROUNDS_MAX + 1][OL_AES_BLOCK];
  const uint8_t *scheduled; /* The key that `schedule` is of. */
  lane lanes[OL_LANES_MAX];
} board;

/* A plain memset on memory that is about to go may be left out by the compiler. */
static void wipe(void *memory, size_t length) {
  volatile uint8_t *p = memory;
  while (length-- > 0)
    *p++ = 0;
}

static void set_key(const ol_lanes_kernel *kernel, board *b, int i, const uint8_t *key,
                    size_t key_bytes) {
  if (b->lanes[i].key == key) return;
  if (b->scheduled != key) kernel->expand(key, key_bytes, b->schedule);
  b->scheduled = b->lanes[i].key = key;
  for (int r = 0; r <= b->state.rounds; r++) {
    memcpy(b->state.keys[r][i], b->schedule[r], OL_AES_BLOCK);
  }
}

static void begin_tail(board *b, int i) {
  lane *l = &b->lanes[i];
  b->state.in[i] = l->padding;
  l->blocks = 1;
  l->tail = false;
}

static void begin_job(const ol_lanes_kernel *kernel, board *b, int i, ol_cbc_job *job,
                      size_t key_bytes) {
  lane *l = &b->lanes[i];
  size_t rest = job->length % OL_AES_BLOCK;
  l->job = job;
  l->blocks = job->length / OL_AES_BLOCK;
  l->tail = job->pad;
  set_key(kernel, b, i, job->key, key_bytes);
  memcpy(b->state.chain[i], job->iv, OL_AES_BLOCK);
  b->state.in[i] = job->in;
  b->state.out[i] = job->out;
  if (!job->pad) return;
  memset(l->padding, (int)(OL_AES_BLOCK - rest), OL_AES_BLOCK);
  if (rest) memcpy(l->padding, job->in + job->length - rest, rest);
  if (l->blocks == 0) begin_tail(b, i);
}

/* Brings a lane whose part is done to the next part or job. False when it has nothing to do. */
static bool advance(const ol_lanes_kernel *kernel, board *b, int i, ol_cbc_job **next,
                    const ol_cbc_job *end, size_t key_bytes) {
  lane *l = &b->lanes[i];
  if (l->job && l->tail) {
    begin_tail(b, i);
    return true;
  }
  if (l->job) memcpy(l->job->iv, b->state.chain[i], OL_AES_BLOCK);
  l->job = NULL;
  while (*next < end) {
    ol_cbc_job *job = (*next)++;
    if (job->length == 0 && !job->pad) continue;
    begin_job(kernel, b, i, job, key_bytes);
    return true;
  }
  return false;
}

/* Makes lane `to` a mirror of lane `from`. */
static void mirror(board *b, int to, int from) {
  ol_lanes_state *s = &b->state;
  s->in[to] = s->in[from];
  s->out[to] = s->out[from];
  memcpy(s->chain[to], s->chain[from], OL_AES_BLOCK);
  if (b->lanes[to].key == b->lanes[from].key) return;
  b->lanes[to].key = b->lanes[from].key;
  for (int r = 0; r <= s->rounds; r++)
    memcpy(s->keys[r][to], s->keys[r][from], OL_AES_BLOCK);
}

ol_lanes_status ol_lanes_schedule(const ol_lanes_kernel *kernel, ol_cbc_job *jobs, size_t count,
                                  size_t key_bytes, const volatile int *cancel) {
  const ol_cbc_job *end = jobs + count;
  ol_lanes_status status = OL_LANES_OK;
  board b;
  memset(&b, 0, sizeof b);
  b.state.rounds = key_bytes == 32 ? 14 : 10;
  for (;;) {
    size_t step = BLOCKS_AT_ONCE;
    int busy = -1;
    for (int i = 0; i < kernel->lanes; i++) {
      if (b.lanes[i].blocks == 0 && !advance(kernel, &b, i, &jobs, end, key_bytes)) continue;
      busy = i;
      if (b.lanes[i].blocks < step) step = b.lanes[i].blocks;
    }
    if (busy < 0) break;
    if (ol_is_set(cancel)) {
      status = OL_LANES_CANCELLED;
      break;
    }
    for (int i = 0; i < kernel->lanes; i++) {
      if (!b.lanes[i].job) mirror(&b, i, busy);
    }
    kernel->run(&b.state, step);
    for (int i = 0; i < kernel->lanes; i++) {
      if (b.lanes[i].job) b.lanes[i].blocks -= step;
    }
  }
  wipe(&b, sizeof b);
  return status;
}

/* The contract of an operation, and the job that carries one call through it.
 *
 * A call passes five phases:
 *   prepare   JS thread    reads the arguments into the state, checks them; no effect outside it
 *   run       any thread   does the work; sees no napi_env
 *   result    JS thread    makes the JavaScript value of a run that succeeded
 *   release   JS thread    wipes and frees what the state owns; exactly once, whatever happened
 * The synchronous form runs them in a row; the Async form runs `run` on libuv's pool. */
#ifndef OL_OPERATION_H
#define OL_OPERATION_H

#include <node_api.h>

#include "core/contexts.h"
#include "hold.h"

/* The most arguments that an operation takes, and the most buffers that it uses while it runs: a
 * target and the pieces of ol_args_pieces. */
#define OL_ARGUMENTS_MAX 20
#define OL_PIECES_MAX 16
#define OL_HOLDS_MAX (OL_PIECES_MAX + 1)
/* The largest state, in bytes; a larger one hangs from a pointer that `release` frees. */
#define OL_STATE_MAX 640

typedef struct ol_env ol_env;
typedef struct ol_job ol_job;

/* The arguments of one call, in `prepare` only. */
typedef struct {
  napi_env env;
  ol_job *job;
  const napi_value *arguments;
} ol_call;

typedef struct ol_operation {
  const char *name;
  size_t argument_count;
  size_t state_size;
  ol_status (*prepare)(const ol_call *call, void *state, ol_failure *failure);
  ol_status (*run)(void *state, ol_run *run);
  /* NULL: the result is run->written, as a number. */
  napi_status (*result)(napi_env env, void *state, napi_value *value);
  void (*release)(void *state);
} ol_operation;

/* All operations, ended by NULL. */
extern const ol_operation *const ol_operations[];

typedef enum { OL_LANE_SHORT, OL_LANE_LONG, OL_LANE_COUNT } ol_lane;
typedef enum {
  OL_JOB_IDLE,
  OL_JOB_WAITING, /* in its environment's outbox */
  OL_JOB_QUEUED,
  OL_JOB_RUNNING,
  OL_JOB_DONE
} ol_job_stage;

struct ol_job {
  const ol_operation *operation;
  ol_env *env;
  ol_job *next, *previous; /* in the queue or list that holds it; the pool's lock */
  uint32_t slot;           /* names the job to JavaScript */
  bool leaves;             /* leaves the JS thread: its buffers must be held */
  ol_job_stage stage;      /* the pool's lock */
  ol_lane lane;
  uint64_t cost; /* estimated nanoseconds of work */
  ol_flag cancel;
  uint64_t written;
  bool timed; /* someone wants to know the times below, in uv_hrtime's nanoseconds */
  uint64_t submitted, started, ended;
  ol_failure failure;
  size_t hold_count;
  ol_hold holds[OL_HOLDS_MAX];
  _Alignas(16) uint8_t state[OL_STATE_MAX];
};

/* Says in `prepare` how much work the call is, in nanoseconds, which decides its lane. */
void ol_job_cost(ol_job *job, uint64_t nanoseconds);

#endif

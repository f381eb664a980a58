/* What one Node environment (the main thread's, or a Worker's) has of its own. */
#ifndef OL_ENV_H
#define OL_ENV_H

#include <uv.h>

#include "operation.h"

/* Results delivered to JavaScript by one call. */
#define OL_RING_SIZE 512
/* Numbers per result: slot, result, milliseconds queued, milliseconds run. */
#define OL_RING_STRIDE 4

typedef struct {
  ol_job *first, *last;
  size_t count;
  uint64_t cost; /* sum of the jobs' */
} ol_queue;

/* Ties an operation to an environment, for the two functions that JavaScript calls. */
typedef struct {
  ol_env *env;
  const ol_operation *operation;
} ol_binding;

#define OL_OPERATIONS_MAX 32

struct ol_env {
  /* JS thread only. */
  napi_env napi;
  napi_ref deliver;    /* deliver(count, others): see lib/operation.js */
  napi_ref make_error; /* see errors.h */
  napi_ref ring_ref;
  double *ring; /* OL_RING_SIZE results of OL_RING_STRIDE numbers */
  bool timed;   /* new jobs take their times */
  ol_contexts contexts;
  ol_job **slots; /* by slot: the job in flight, or NULL */
  uint32_t slot_capacity;
  size_t pending; /* jobs between submission and delivery; keeps the loop alive while not 0 */
  ol_job *spare;  /* released jobs to use again */
  size_t spare_count;
  ol_queue outbox; /* short jobs not yet shown to the pool */
  uint64_t completed, cancelled;
  uv_async_t *wake;
  napi_async_cleanup_hook_handle hook;
  bool exiting; /* no new jobs */
  bool closing; /* no more calls into JavaScript */
  ol_binding bindings[OL_OPERATIONS_MAX];
  int owners; /* the cleanup hook and the instance data; the last to go frees */

  /* Under the pool's lock. */
  ol_env *next, *previous; /* ring of environments */
  ol_queue lanes[OL_LANE_COUNT];
  ol_queue done;
  size_t running;
};

/* Makes the environment and ties it to napi's life. NULL on failure. */
ol_env *ol_env_create(napi_env napi);

/* Cancels every job: queued ones never run, running ones are asked to stop. No job is taken after
 * that. */
void ol_env_exit(ol_env *env);

#endif

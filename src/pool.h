/* The process's one budget of work on libuv's pool, shared by all environments.
 *
 * Work runs in *drains*: requests to libuv's pool that take job after job, from every environment
 * in turn, until none is left or the budget says otherwise. At most `concurrency` drains run long
 * jobs; one more may run short ones; together they leave one of the pool's threads to others. */
#ifndef OL_POOL_H
#define OL_POOL_H

#include "env.h"

/* Once per process; later calls do nothing. False: no memory. */
bool ol_pool_init(void);

void ol_pool_add(ol_env *env);
/* The environment must have no job left. */
void ol_pool_remove(ol_env *env);

typedef enum {
  OL_SUBMIT_QUEUED,
  OL_SUBMIT_WAITING, /* in the outbox: call ol_pool_flush before the loop's turn ends */
  OL_SUBMIT_REFUSED  /* too many wait; the job stays the caller's */
} ol_submit;

/* Queues a job, which then belongs to the pool until it is delivered through env->wake. Short jobs
 * are gathered in the environment's outbox while others of its jobs are in flight, for a lock and
 * perhaps a wake-up cost more than they do; their results could not be delivered in this turn
 * anyway. max_queued: the most jobs that may wait in this environment. JS thread. */
ol_submit ol_pool_submit(ol_job *job, double max_queued);

/* Queues what is in the outbox. JS thread. */
void ol_pool_flush(ol_env *env);

/* Asks a job to stop. True: it had not started, is out of the queue and the caller's again.
 * JS thread. */
bool ol_pool_cancel(ol_job *job);

/* Takes the jobs that are done; returns the first of a list linked by `next`. *running: jobs of
 * this environment still running. JS thread. */
ol_job *ol_pool_take_done(ol_env *env, size_t *running);

typedef struct {
  size_t queued, running; /* of one environment */
  unsigned threads;       /* drains that may run at once, in the whole process */
} ol_pool_counts;
ol_pool_counts ol_pool_count(ol_env *env);

unsigned ol_pool_concurrency(void);
/* Sets it to at least 1 and at most what the pool allows; returns what is in force. */
unsigned ol_pool_set_concurrency(unsigned wanted);

#endif

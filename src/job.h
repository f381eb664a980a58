/* One call of an operation: at once on the JS thread, or through the pool. */
#ifndef OL_JOB_H
#define OL_JOB_H

#include "env.h"

/* name(...arguments): the result. Throws. `data` is an ol_binding. */
napi_value ol_job_call(napi_env napi, napi_callback_info info);

/* nameCheck(...arguments): undefined. Throws what name would before it starts to work.
 * `data` is an ol_binding. */
napi_value ol_job_check(napi_env napi, napi_callback_info info);

/* nameAsync(slot, maxQueued, ...arguments): true if flush() must be called before this turn of the
 * loop ends; the slot's result arrives through deliver. Throws where the arguments do not hold, or
 * too many jobs wait. `data` is an ol_binding. */
napi_value ol_job_submit(napi_env napi, napi_callback_info info);

/* cancel(slot): true if the job had not started; it is then gone, and nothing is delivered.
 * `data` is an ol_env. */
napi_value ol_job_cancel(napi_env napi, napi_callback_info info);

/* Runs a prepared job and keeps its outcome in it. Any thread; cancel may be NULL. */
void ol_job_run(ol_job *job, ol_contexts *contexts, ol_flag *cancel);

/* Hands all finished jobs to JavaScript, or only releases them where the environment is closing.
 * Returns how many of its jobs still run. JS thread. */
size_t ol_job_deliver(ol_env *env);

/* Ends a job that will not be delivered. JS thread. */
void ol_job_discard(ol_job *job);

#endif

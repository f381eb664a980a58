#include "job.h"

#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "pool.h"

/* Released jobs kept for the next calls of the environment. */
#define SPARE_MAX 256

/* Jobs from this many nanoseconds on are long: a short one should not have to wait for them. */
#define LONG_COST 200000

void ol_job_run(ol_job *job, ol_contexts *contexts, ol_flag *cancel) {
  ol_run run = {contexts, cancel, &job->failure, 0};
  if (job->timed) job->started = uv_hrtime();
  ol_status status = ol_run_cancelled(&run) ? OL_CANCELLED : job->operation->run(job->state, &run);
  job->failure.status = status;
  job->written = run.written;
  if (job->timed) job->ended = uv_hrtime();
}

static void job_init(ol_job *job, ol_env *env, const ol_operation *operation) {
  job->operation = operation;
  job->env = env;
  job->leaves = false;
  job->timed = false;
  job->stage = OL_JOB_IDLE;
  job->lane = OL_LANE_SHORT;
  job->cost = 0;
  job->cancel = 0;
  job->failure.status = OL_OK;
  job->failure.detail[0] = '\0';
  job->hold_count = 0;
  memset(job->state, 0, operation->state_size);
}

static void job_release(ol_job *job) {
  if (job->operation->release != NULL) job->operation->release(job->state);
  for (size_t i = 0; i < job->hold_count; i++) {
    ol_hold_release(&job->holds[i], job->env->closing ? NULL : job->env->napi);
  }
  job->hold_count = 0;
}

static ol_job *job_new(ol_env *env, const ol_operation *operation) {
  ol_job *job = env->spare;
  if (job != NULL) {
    env->spare = job->next;
    env->spare_count--;
  } else {
    job = malloc(sizeof(*job));
    if (job == NULL) return NULL;
    memset(job->holds, 0, sizeof(job->holds));
  }
  job_init(job, env, operation);
  return job;
}

static void job_free(ol_job *job) {
  ol_env *env = job->env;
  job_release(job);
  if (env->spare_count >= SPARE_MAX) {
    free(job);
    return;
  }
  job->next = env->spare;
  env->spare = job;
  env->spare_count++;
}

static void throw_failure(ol_env *env, const ol_failure *failure) {
  napi_value error;
  if (ol_error_create(env->napi, env->make_error, failure, &error) == napi_ok) {
    napi_throw(env->napi, error);
  }
}

static ol_status job_prepare(ol_job *job, const napi_value *arguments) {
  ol_call call = {job->env->napi, job, arguments};
  ol_status status = job->operation->prepare(&call, job->state, &job->failure);
  job->failure.status = status;
  return status;
}

void ol_job_cost(ol_job *job, uint64_t nanoseconds) {
  job->cost = nanoseconds;
  job->lane = nanoseconds < LONG_COST ? OL_LANE_SHORT : OL_LANE_LONG;
}

static napi_status job_value(ol_job *job, napi_value *value) {
  napi_env napi = job->env->napi;
  if (job->operation->result != NULL) return job->operation->result(napi, job->state, value);
  if (job->written <= UINT32_MAX) return napi_create_uint32(napi, (uint32_t)job->written, value);
  return napi_create_double(napi, (double)job->written, value);
}

/* A result that could not be made: memory has run out, or the environment is ending. */
static void job_value_failed(ol_job *job) {
  bool pending = false;
  napi_is_exception_pending(job->env->napi, &pending);
  if (pending) return;
  ol_fail(&job->failure, OL_OUT_OF_MEMORY, "%s", "");
  throw_failure(job->env, &job->failure);
}

napi_value ol_job_call(napi_env napi, napi_callback_info info) {
  void *data;
  size_t count = OL_ARGUMENTS_MAX;
  napi_value arguments[OL_ARGUMENTS_MAX], value = NULL;
  if (napi_get_cb_info(napi, info, &count, arguments, NULL, &data) != napi_ok) return NULL;
  const ol_binding *binding = data;
  ol_job job;
  job_init(&job, binding->env, binding->operation);
  if (job_prepare(&job, arguments) == OL_OK) {
    ol_job_run(&job, &binding->env->contexts, NULL);
  }
  if (job.failure.status != OL_OK) {
    throw_failure(binding->env, &job.failure);
  } else if (job_value(&job, &value) != napi_ok) {
    job_value_failed(&job);
  }
  job_release(&job);
  return value;
}

napi_value ol_job_check(napi_env napi, napi_callback_info info) {
  void *data;
  size_t count = OL_ARGUMENTS_MAX;
  napi_value arguments[OL_ARGUMENTS_MAX];
  if (napi_get_cb_info(napi, info, &count, arguments, NULL, &data) != napi_ok) return NULL;
  const ol_binding *binding = data;
  ol_job job;
  job_init(&job, binding->env, binding->operation);
  if (job_prepare(&job, arguments) != OL_OK) throw_failure(binding->env, &job.failure);
  job_release(&job);
  return NULL;
}

static bool slot_reserve(ol_env *env, uint32_t slot) {
  if (slot < env->slot_capacity) return true;
  uint32_t capacity = env->slot_capacity == 0 ? 64 : env->slot_capacity;
  while (capacity <= slot)
    capacity *= 2;
  ol_job **slots = realloc(env->slots, capacity * sizeof(*slots));
  if (slots == NULL) return false;
  memset(slots + env->slot_capacity, 0, (capacity - env->slot_capacity) * sizeof(*slots));
  env->slots = slots;
  env->slot_capacity = capacity;
  return true;
}

static ol_status job_enter(ol_job *job, double max_queued, bool *waiting) {
  ol_env *env = job->env;
  if (env->exiting) return ol_fail(&job->failure, OL_CANCELLED, "%s", "");
  if (!slot_reserve(env, job->slot)) return ol_fail(&job->failure, OL_OUT_OF_MEMORY, "%s", "");
  ol_submit outcome = ol_pool_submit(job, max_queued);
  if (outcome == OL_SUBMIT_REFUSED) return ol_fail(&job->failure, OL_QUEUE_FULL, "%s", "");
  *waiting = outcome == OL_SUBMIT_WAITING;
  env->slots[job->slot] = job;
  if (env->pending++ == 0) uv_ref((uv_handle_t *)env->wake);
  return OL_OK;
}

napi_value ol_job_submit(napi_env napi, napi_callback_info info) {
  enum { SLOT, MAX_QUEUED, LEADING };
  void *data;
  size_t count = LEADING + OL_ARGUMENTS_MAX;
  napi_value arguments[LEADING + OL_ARGUMENTS_MAX], value = NULL;
  double max_queued;
  bool waiting = false;
  if (napi_get_cb_info(napi, info, &count, arguments, NULL, &data) != napi_ok) return NULL;
  const ol_binding *binding = data;
  ol_job *job = job_new(binding->env, binding->operation);
  if (job == NULL) {
    ol_failure failure = {.status = OL_OUT_OF_MEMORY};
    throw_failure(binding->env, &failure);
    return NULL;
  }
  job->leaves = true;
  job->timed = binding->env->timed;
  if (job->timed) job->submitted = uv_hrtime();
  napi_get_value_uint32(napi, arguments[SLOT], &job->slot);
  napi_get_value_double(napi, arguments[MAX_QUEUED], &max_queued);
  ol_status status = job_prepare(job, arguments + LEADING);
  if (status == OL_OK) status = job_enter(job, max_queued, &waiting);
  if (status != OL_OK) {
    throw_failure(binding->env, &job->failure);
    job_free(job);
    return NULL;
  }
  napi_get_boolean(napi, waiting, &value);
  return value;
}

/* The job leaves JavaScript's sight: its slot is free, and it no longer keeps the loop alive. */
static void job_leave(ol_job *job) {
  ol_env *env = job->env;
  env->slots[job->slot] = NULL;
  if (--env->pending == 0) uv_unref((uv_handle_t *)env->wake);
}

void ol_job_discard(ol_job *job) {
  job->env->cancelled++;
  job_leave(job);
  job_free(job);
}

napi_value ol_job_cancel(napi_env napi, napi_callback_info info) {
  void *data;
  size_t count = 1;
  napi_value argument, value = NULL;
  uint32_t slot = UINT32_MAX;
  bool gone = false;
  if (napi_get_cb_info(napi, info, &count, &argument, NULL, &data) != napi_ok) return NULL;
  ol_env *env = data;
  napi_get_value_uint32(napi, argument, &slot);
  ol_job *job = slot < env->slot_capacity ? env->slots[slot] : NULL;
  if (job != NULL && ol_pool_cancel(job)) {
    ol_job_discard(job);
    gone = true;
  }
  napi_get_boolean(napi, gone, &value);
  return value;
}

static double milliseconds(const ol_job *job, uint64_t from, uint64_t to) {
  return job->timed ? (double)(to - from) / 1e6 : 0;
}

/* The error of a failed job, or the value of another. */
static napi_status outcome_create(ol_job *job, napi_value *error, napi_value *value) {
  ol_env *env = job->env;
  napi_status status = napi_get_undefined(env->napi, error);
  if (status != napi_ok) return status;
  *value = *error;
  if (job->failure.status == OL_OK && job_value(job, value) != napi_ok) {
    bool pending = false;
    napi_is_exception_pending(env->napi, &pending);
    if (pending) return napi_get_and_clear_last_exception(env->napi, error);
    ol_fail(&job->failure, OL_OUT_OF_MEMORY, "%s", "");
  }
  if (job->failure.status == OL_OK) return napi_ok;
  return ol_error_create(env->napi, env->make_error, &job->failure, error);
}

/* Appends slot, error, value and the two times to the list of results that are not plain numbers.
 */
static napi_status other_append(ol_env *env, napi_value *others, uint32_t *length, ol_job *job) {
  enum { SLOT, ERROR, VALUE, QUEUED, RUN, COUNT };
  napi_value row[COUNT];
  napi_status status = outcome_create(job, &row[ERROR], &row[VALUE]);
  if (status == napi_ok && *others == NULL) status = napi_create_array(env->napi, others);
  if (status == napi_ok) status = napi_create_uint32(env->napi, job->slot, &row[SLOT]);
  if (status == napi_ok) {
    double queued = milliseconds(job, job->submitted, job->started);
    status = napi_create_double(env->napi, queued, &row[QUEUED]);
  }
  if (status == napi_ok) {
    double run = milliseconds(job, job->started, job->ended);
    status = napi_create_double(env->napi, run, &row[RUN]);
  }
  for (size_t i = 0; status == napi_ok && i < COUNT; i++) {
    status = napi_set_element(env->napi, *others, (*length)++, row[i]);
  }
  return status;
}

static void ring_append(ol_env *env, uint32_t count, const ol_job *job) {
  double *row = env->ring + (size_t)count * OL_RING_STRIDE;
  row[0] = job->slot;
  row[1] = (double)job->written;
  row[2] = milliseconds(job, job->submitted, job->started);
  row[3] = milliseconds(job, job->started, job->ended);
}

static void deliver_call(ol_env *env, uint32_t count, napi_value others) {
  napi_value function, receiver, arguments[2], returned, exception;
  napi_get_reference_value(env->napi, env->deliver, &function);
  napi_get_undefined(env->napi, &receiver);
  napi_create_uint32(env->napi, count, &arguments[0]);
  arguments[1] = others == NULL ? receiver : others;
  napi_get_global(env->napi, &receiver);
  napi_status status =
      napi_make_callback(env->napi, NULL, receiver, function, 2, arguments, &returned);
  if (status == napi_pending_exception &&
      napi_get_and_clear_last_exception(env->napi, &exception) == napi_ok) {
    napi_fatal_exception(env->napi, exception);
  }
}

/* Delivers up to a ring of jobs; returns the rest. */
static ol_job *deliver_some(ol_env *env, ol_job *job) {
  napi_handle_scope scope;
  napi_value others = NULL;
  uint32_t count = 0, length = 0, handled = 0;
  napi_open_handle_scope(env->napi, &scope);
  for (ol_job *next; job != NULL && handled < OL_RING_SIZE; job = next, handled++) {
    next = job->next;
    if (job->failure.status == OL_OK && job->operation->result == NULL) {
      ring_append(env, count++, job);
    } else {
      /* Fails only where JavaScript can no longer run at all. */
      other_append(env, &others, &length, job);
    }
    if (job->failure.status == OL_CANCELLED) {
      env->cancelled++;
    } else {
      env->completed++;
    }
    job_leave(job);
    job_free(job);
  }
  deliver_call(env, count, others);
  napi_close_handle_scope(env->napi, scope);
  return job;
}

size_t ol_job_deliver(ol_env *env) {
  size_t running;
  ol_job *job = ol_pool_take_done(env, &running);
  while (job != NULL) {
    if (env->closing) {
      ol_job *next = job->next;
      ol_job_discard(job);
      job = next;
    } else {
      job = deliver_some(env, job);
    }
  }
  return running;
}

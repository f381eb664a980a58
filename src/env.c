#include "env.h"

#include <stdlib.h>

#include "job.h"
#include "pool.h"

static void env_disown(ol_env *env) {
  if (--env->owners > 0) return;
  ol_contexts_dispose(&env->contexts);
  while (env->spare != NULL) {
    ol_job *job = env->spare;
    env->spare = job->next;
    free(job);
  }
  free(env->slots);
  free(env);
}

static void wake_closed(uv_handle_t *handle) {
  ol_env *env = handle->data;
  free(handle);
  napi_remove_async_cleanup_hook(env->hook);
  env_disown(env);
}

static void wake_close(ol_env *env) {
  ol_pool_remove(env);
  uv_close((uv_handle_t *)env->wake, wake_closed);
}

static void on_wake(uv_async_t *handle) {
  ol_env *env = handle->data;
  size_t running = ol_job_deliver(env);
  if (env->closing && running == 0 && !uv_is_closing((uv_handle_t *)handle)) wake_close(env);
}

void ol_env_exit(ol_env *env) {
  env->exiting = true;
  for (uint32_t slot = 0; slot < env->slot_capacity; slot++) {
    ol_job *job = env->slots[slot];
    if (job != NULL && ol_pool_cancel(job)) ol_job_discard(job);
  }
}

/* The environment ends while its loop still turns: running jobs are waited for, because they use
 * memory that goes with it. */
static void on_cleanup(napi_async_cleanup_hook_handle hook, void *data) {
  (void)hook;
  ol_env *env = data;
  env->closing = true;
  ol_env_exit(env);
  if (ol_job_deliver(env) == 0) wake_close(env);
}

/* No result is delivered any more. Node frees no reference by itself. */
static void on_finalize(napi_env napi, void *data, void *hint) {
  ol_env *env = data;
  (void)hint;
  if (env->deliver != NULL) napi_delete_reference(napi, env->deliver);
  if (env->make_error != NULL) napi_delete_reference(napi, env->make_error);
  if (env->ring_ref != NULL) napi_delete_reference(napi, env->ring_ref);
  env_disown(env);
}

ol_env *ol_env_create(napi_env napi) {
  uv_loop_t *loop;
  ol_env *env = calloc(1, sizeof(*env));
  uv_async_t *wake = calloc(1, sizeof(*wake));
  if (env == NULL || wake == NULL) goto failed;
  env->napi = napi;
  env->wake = wake;
  env->owners = 1;
  wake->data = env;
  if (napi_get_uv_event_loop(napi, &loop) != napi_ok) goto failed;
  if (uv_async_init(loop, wake, on_wake) != 0) goto failed;
  uv_unref((uv_handle_t *)wake);
  ol_pool_add(env);
  /* From here on the hook's end frees the environment. */
  if (napi_add_async_cleanup_hook(napi, on_cleanup, env, &env->hook) != napi_ok) return NULL;
  if (napi_set_instance_data(napi, env, on_finalize, NULL) == napi_ok) env->owners++;
  return env;
failed:
  free(env);
  free(wake);
  return NULL;
}

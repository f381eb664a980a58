#include <openssl/crypto.h>
#include <stdlib.h>

#include "args.h"
#include "core/digest.h"

/* hmac(id, key, data, target): writes the digest's size to target. */
enum { ID, KEY, DATA, TARGET, COUNT };

typedef struct {
  const ol_digest *digest;
  ol_bytes key, data, target;
  uint8_t *owned_key;
} hmac_state;

static ol_status hmac_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  hmac_state *state = memory;
  state->digest = ol_digest_at(ol_args_uint32(call, ID));
  if (state->digest == NULL || !state->digest->keyed) {
    return ol_fail(failure, OL_ARG_VALUE, "%s", "");
  }
  ol_status status = ol_args_copy(call, KEY, &state->key, &state->owned_key, failure);
  if (status == OL_OK) status = ol_args_bytes(call, DATA, OL_HOLD_READ, &state->data, failure);
  if (status == OL_OK) status = ol_args_view(call, TARGET, &state->target, failure);
  if (status != OL_OK) return status;
  if (state->target.size < state->digest->size) {
    return ol_fail(failure, OL_RANGE, "The target needs %u bytes", (unsigned)state->digest->size);
  }
  state->target.size = state->digest->size;
  ol_job_cost(call->job, 1000 + state->data.size * 2 / 3 + state->key.size);
  return ol_args_hold(call, TARGET, OL_HOLD_WRITE, &state->target, failure);
}

static ol_status hmac_run(void *memory, ol_run *run) {
  hmac_state *state = memory;
  run->written = state->digest->size;
  return ol_hmac_run(state->digest, state->key, state->data, state->target.data, run);
}

static void hmac_release(void *memory) {
  hmac_state *state = memory;
  if (state->owned_key == NULL) return;
  OPENSSL_cleanse(state->owned_key, state->key.size);
  free(state->owned_key);
}

const ol_operation ol_operation_hmac = {
    .name = "hmac",
    .argument_count = COUNT,
    .state_size = sizeof(hmac_state),
    .prepare = hmac_prepare,
    .run = hmac_run,
    .release = hmac_release,
};

#include "args.h"
#include "core/digest.h"

/* hash(id, data, target, size): writes size bytes to target. */
enum { ID, DATA, TARGET, SIZE, COUNT };

typedef struct {
  const ol_digest *digest;
  ol_bytes data, target;
} hash_state;

static ol_status hash_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  hash_state *state = memory;
  uint32_t size = ol_args_uint32(call, SIZE);
  state->digest = ol_digest_at(ol_args_uint32(call, ID));
  if (state->digest == NULL) return ol_fail(failure, OL_ARG_VALUE, "%s", "");
  ol_status status = ol_args_bytes(call, DATA, OL_HOLD_READ, &state->data, failure);
  if (status == OL_OK) status = ol_args_view(call, TARGET, &state->target, failure);
  if (status != OL_OK) return status;
  if (size > state->target.size || (size != state->digest->size && !state->digest->extendable)) {
    return ol_fail(failure, OL_RANGE, "The target needs %u bytes", (unsigned)size);
  }
  state->target.size = size;
  ol_job_cost(call->job, 500 + state->data.size * 2 / 3 + size * 2);
  return ol_args_hold(call, TARGET, OL_HOLD_WRITE, &state->target, failure);
}

static ol_status hash_run(void *memory, ol_run *run) {
  hash_state *state = memory;
  run->written = state->target.size;
  return ol_digest_run(state->digest, state->data, state->target.data, state->target.size, run);
}

const ol_operation ol_operation_hash = {
    .name = "hash",
    .argument_count = COUNT,
    .state_size = sizeof(hash_state),
    .prepare = hash_prepare,
    .run = hash_run,
};

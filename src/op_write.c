#include "args.h"
#include "core/file.h"
#include "op_checksum.h"

/* checksumAndWrite(descriptor, data, position, id, value): the checksum, once all data is written.
 * position is a number, -1 for where the descriptor stands. */
enum { DESCRIPTOR, DATA, POSITION, ID, VALUE, COUNT };

/* The descriptor may be slow, or a pipe that is full: never a short job. In nanoseconds. */
enum { WRITE_COST = 1000000 };

typedef struct {
  int descriptor;
  int64_t position;
  ol_bytes data;
  ol_crc_sum sum;
} write_state;

static ol_status write_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  write_state *state = memory;
  ol_job_cost(call->job, WRITE_COST);
  state->descriptor = ol_args_int32(call, DESCRIPTOR);
  state->position = ol_args_int64(call, POSITION);
  ol_status status = ol_checksum_read(call, ID, VALUE, &state->sum, failure);
  if (status != OL_OK) return status;
  return ol_args_bytes(call, DATA, OL_HOLD_READ, &state->data, failure);
}

static ol_status write_run(void *memory, ol_run *run) {
  write_state *state = memory;
  return ol_file_write(state->descriptor, state->data, state->position, &state->sum, run);
}

static napi_status write_result(napi_env env, void *memory, napi_value *value) {
  return ol_checksum_create(env, &((write_state *)memory)->sum, value);
}

const ol_operation ol_operation_checksum_and_write = {
    .name = "checksumAndWrite",
    .argument_count = COUNT,
    .state_size = sizeof(write_state),
    .prepare = write_prepare,
    .run = write_run,
    .result = write_result,
};

#include <stdlib.h>

#include "args.h"
#include "core/file.h"
#include "core/stream.h"
#include "op_checksum.h"

/* A file of unknown size on a device of unknown speed: never a short job. In nanoseconds. */
enum { FILE_COST = 1000000 };

/* A path, as bytes that end with a NUL, which outlive what may be said of it. */
typedef struct {
  ol_bytes bytes;
  uint8_t *owned;
} path_argument;

static ol_status path_read(const ol_call *call, size_t index, path_argument *path,
                           ol_failure *failure) {
  ol_status status = ol_args_copy(call, index, &path->bytes, &path->owned, failure);
  if (status != OL_OK) return status;
  ol_bytes bytes = path->bytes;
  if (bytes.size > 0 && bytes.data[bytes.size - 1] == '\0') return OL_OK;
  return ol_fail(failure, OL_ARG_VALUE, "A path must end with a NUL");
}

static const char *path_text(const path_argument *path) {
  return (const char *)path->bytes.data;
}

/* hashFile(path, id, target, size): writes size bytes to target. */
enum { HASH_PATH, HASH_ID, HASH_TARGET, HASH_SIZE, HASH_COUNT };

typedef struct {
  path_argument path;
  const ol_digest *digest;
  ol_bytes target;
} hash_state;

static ol_status hash_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  hash_state *state = memory;
  uint32_t size = ol_args_uint32(call, HASH_SIZE);
  ol_job_cost(call->job, FILE_COST);
  state->digest = ol_digest_at(ol_args_uint32(call, HASH_ID));
  if (state->digest == NULL) return ol_fail(failure, OL_ARG_VALUE, "%s", "");
  ol_status status = path_read(call, HASH_PATH, &state->path, failure);
  if (status == OL_OK) status = ol_args_view(call, HASH_TARGET, &state->target, failure);
  if (status != OL_OK) return status;
  if (size > state->target.size || (size != state->digest->size && !state->digest->extendable)) {
    return ol_fail(failure, OL_RANGE, "The target needs %u bytes", (unsigned)size);
  }
  state->target.size = size;
  return ol_args_hold(call, HASH_TARGET, OL_HOLD_WRITE, &state->target, failure);
}

static ol_status hash_take(void *stream, ol_bytes piece, ol_run *run) {
  return ol_stream_update(stream, piece, NULL, run);
}

static ol_status hash_run(void *memory, ol_run *run) {
  hash_state *state = memory;
  ol_stream *stream;
  ol_status status = ol_stream_new_digest(state->digest, state->target.size, &stream, run);
  if (status == OL_OK) status = ol_file_read(path_text(&state->path), hash_take, stream, run);
  if (status == OL_OK) status = ol_stream_finish(stream, state->target, run);
  ol_stream_free(stream);
  return status;
}

static void hash_release(void *memory) {
  free(((hash_state *)memory)->path.owned);
}

const ol_operation ol_operation_hash_file = {
    .name = "hashFile",
    .argument_count = HASH_COUNT,
    .state_size = sizeof(hash_state),
    .prepare = hash_prepare,
    .run = hash_run,
    .release = hash_release,
};

/* crcFile(path, id, value): the value of the file's contents appended. */
enum { CRC_PATH, CRC_ID, CRC_VALUE, CRC_COUNT };

typedef struct {
  path_argument path;
  ol_crc_sum sum;
} crc_state;

static ol_status crc_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  crc_state *state = memory;
  ol_job_cost(call->job, FILE_COST);
  ol_status status = ol_checksum_read(call, CRC_ID, CRC_VALUE, &state->sum, failure);
  return status == OL_OK ? path_read(call, CRC_PATH, &state->path, failure) : status;
}

static ol_status crc_take(void *sum, ol_bytes piece, ol_run *run) {
  (void)run;
  ol_crc_sum_add(sum, piece.data, piece.size);
  return OL_OK;
}

static ol_status crc_run(void *memory, ol_run *run) {
  crc_state *state = memory;
  return ol_file_read(path_text(&state->path), crc_take, &state->sum, run);
}

static napi_status crc_result(napi_env env, void *memory, napi_value *value) {
  return ol_checksum_create(env, &((crc_state *)memory)->sum, value);
}

static void crc_release(void *memory) {
  free(((crc_state *)memory)->path.owned);
}

const ol_operation ol_operation_crc_file = {
    .name = "crcFile",
    .argument_count = CRC_COUNT,
    .state_size = sizeof(crc_state),
    .prepare = crc_prepare,
    .run = crc_run,
    .result = crc_result,
    .release = crc_release,
};

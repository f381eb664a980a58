#include "op_checksum.h"

#include "args.h"
#include "core/crc.h"

/* crc(id, data, value): the value of data appended. crc64 is the same with BigInts. */
enum { ID, DATA, VALUE, COUNT };

typedef struct {
  const ol_crc *crc;
  ol_bytes data;
  uint64_t value;
} crc_state;

/* Nanoseconds for `size` bytes, at some 30 GB/s. */
static uint64_t crc_cost(size_t size) {
  return 100 + size / 32;
}

static ol_status crc_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  crc_state *state = memory;
  state->crc = ol_crc_at(ol_args_uint32(call, ID));
  if (state->crc == NULL) return ol_fail(failure, OL_ARG_VALUE, "%s", "");
  state->value = ol_args_uint32(call, VALUE);
  ol_job_cost(call->job, crc_cost(0));
  ol_status status = ol_args_bytes(call, DATA, OL_HOLD_READ, &state->data, failure);
  if (status == OL_OK) ol_job_cost(call->job, crc_cost(state->data.size));
  return status;
}

static ol_status crc64_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  crc_state *state = memory;
  ol_status status = crc_prepare(call, memory, failure);
  if (status == OL_OK) state->value = ol_args_uint64(call, VALUE);
  return status;
}

static ol_status crc_run(void *memory, ol_run *run) {
  crc_state *state = memory;
  for (size_t at = 0; at < state->data.size;) {
    if (ol_run_cancelled(run)) return ol_fail(run->failure, OL_CANCELLED, "%s", "");
    size_t size = state->data.size - at < OL_CHUNK ? state->data.size - at : OL_CHUNK;
    state->value = ol_crc_update(state->crc, state->value, state->data.data + at, size);
    at += size;
  }
  run->written = state->value;
  return OL_OK;
}

static napi_status crc64_result(napi_env env, void *memory, napi_value *value) {
  crc_state *state = memory;
  return napi_create_bigint_uint64(env, state->value, value);
}

const ol_operation ol_operation_crc = {
    .name = "crc",
    .argument_count = COUNT,
    .state_size = sizeof(crc_state),
    .prepare = crc_prepare,
    .run = crc_run,
};

const ol_operation ol_operation_crc64 = {
    .name = "crc64",
    .argument_count = COUNT,
    .state_size = sizeof(crc_state),
    .prepare = crc64_prepare,
    .run = crc_run,
    .result = crc64_result,
};

/* crcCombine(id, first, second, secondLength): the last three and the result are BigInts. */
enum { COMBINE_ID, FIRST, SECOND, SECOND_LENGTH, COMBINE_COUNT };

typedef struct {
  const ol_crc *crc;
  uint64_t first, second, second_length, value;
} combine_state;

static ol_status combine_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  combine_state *state = memory;
  state->crc = ol_crc_at(ol_args_uint32(call, COMBINE_ID));
  if (state->crc == NULL) return ol_fail(failure, OL_ARG_VALUE, "%s", "");
  state->first = ol_args_uint64(call, FIRST);
  state->second = ol_args_uint64(call, SECOND);
  state->second_length = ol_args_uint64(call, SECOND_LENGTH);
  return OL_OK;
}

static ol_status combine_run(void *memory, ol_run *run) {
  combine_state *state = memory;
  (void)run;
  state->value = ol_crc_combine(state->crc, state->first, state->second, state->second_length);
  return OL_OK;
}

static napi_status combine_result(napi_env env, void *memory, napi_value *value) {
  combine_state *state = memory;
  return napi_create_bigint_uint64(env, state->value, value);
}

const ol_operation ol_operation_crc_combine = {
    .name = "crcCombine",
    .argument_count = COMBINE_COUNT,
    .state_size = sizeof(combine_state),
    .prepare = combine_prepare,
    .run = combine_run,
    .result = combine_result,
};

ol_status ol_checksum_read(const ol_call *call, size_t id, size_t value, ol_crc_sum *sum,
                           ol_failure *failure) {
  sum->crc = ol_crc_at(ol_args_uint32(call, id));
  if (sum->crc == NULL) return ol_fail(failure, OL_ARG_VALUE, "%s", "");
  sum->value =
      ol_crc_width(sum->crc) == 64 ? ol_args_uint64(call, value) : ol_args_uint32(call, value);
  return OL_OK;
}

napi_status ol_checksum_create(napi_env env, const ol_crc_sum *sum, napi_value *value) {
  if (ol_crc_width(sum->crc) == 64) return napi_create_bigint_uint64(env, sum->value, value);
  return napi_create_uint32(env, (uint32_t)sum->value, value);
}

/* crcPieces(id, value, ...pieces): the value of all pieces appended. */
enum { PIECES_ID, PIECES_VALUE, PIECES, PIECES_COUNT = PIECES + OL_PIECES_MAX };

typedef struct {
  ol_crc_sum sum;
  ol_pieces pieces;
} pieces_state;

static ol_status pieces_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  pieces_state *state = memory;
  ol_status status = ol_checksum_read(call, PIECES_ID, PIECES_VALUE, &state->sum, failure);
  if (status == OL_OK) status = ol_args_pieces(call, PIECES, &state->pieces, failure);
  ol_job_cost(call->job, crc_cost(state->pieces.size));
  return status;
}

static ol_status pieces_run(void *memory, ol_run *run) {
  pieces_state *state = memory;
  for (size_t i = 0; i < state->pieces.count; i++) {
    crc_state piece = {state->sum.crc, state->pieces.list[i], state->sum.value};
    ol_status status = crc_run(&piece, run);
    if (status != OL_OK) return status;
    state->sum.value = piece.value;
  }
  return OL_OK;
}

static napi_status pieces_result(napi_env env, void *memory, napi_value *value) {
  return ol_checksum_create(env, &((pieces_state *)memory)->sum, value);
}

const ol_operation ol_operation_crc_pieces = {
    .name = "crcPieces",
    .argument_count = PIECES_COUNT,
    .state_size = sizeof(pieces_state),
    .prepare = pieces_prepare,
    .run = pieces_run,
    .result = pieces_result,
};

static napi_status set_text(napi_env env, napi_value object, const char *name, const char *text) {
  napi_value value;
  napi_status status = napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
  return status == napi_ok ? napi_set_named_property(env, object, name, value) : status;
}

static napi_status set_bool(napi_env env, napi_value object, const char *name, bool flag) {
  napi_value value;
  napi_status status = napi_get_boolean(env, flag, &value);
  return status == napi_ok ? napi_set_named_property(env, object, name, value) : status;
}

static napi_status crc_describe(napi_env env, const ol_crc *crc, napi_value *object) {
  napi_value width, polynomial;
  napi_status status = napi_create_object(env, object);
  if (status == napi_ok) status = set_text(env, *object, "name", ol_crc_name(crc));
  if (status == napi_ok) status = napi_create_uint32(env, ol_crc_width(crc), &width);
  if (status == napi_ok) status = napi_set_named_property(env, *object, "width", width);
  if (status == napi_ok) {
    status = napi_create_bigint_uint64(env, ol_crc_polynomial(crc), &polynomial);
  }
  if (status == napi_ok) status = napi_set_named_property(env, *object, "polynomial", polynomial);
  return status;
}

napi_value ol_checksum_crcs(napi_env napi, napi_callback_info info) {
  napi_value list = NULL, object;
  const ol_crc *crc;
  (void)info;
  napi_status status = napi_create_array(napi, &list);
  for (uint32_t i = 0; status == napi_ok && (crc = ol_crc_at(i)) != NULL; i++) {
    status = crc_describe(napi, crc, &object);
    if (status == napi_ok) status = napi_set_element(napi, list, i, object);
  }
  return status == napi_ok ? list : NULL;
}

static napi_status kernel_describe(napi_env env, size_t index, napi_value *object) {
  const char *name = ol_crc_kernel_name(index);
  napi_status status = napi_create_object(env, object);
  if (status == napi_ok) status = set_text(env, *object, "name", name);
  if (status == napi_ok) {
    status = set_bool(env, *object, "available", ol_crc_kernel_available(index));
  }
  if (status == napi_ok) {
    status = set_bool(env, *object, "active", name == ol_crc_kernel_active());
  }
  return status;
}

napi_value ol_checksum_kernels(napi_env napi, napi_callback_info info) {
  napi_value list = NULL, object;
  (void)info;
  napi_status status = napi_create_array(napi, &list);
  for (uint32_t i = 0; status == napi_ok && ol_crc_kernel_name(i) != NULL; i++) {
    status = kernel_describe(napi, i, &object);
    if (status == napi_ok) status = napi_set_element(napi, list, i, object);
  }
  return status == napi_ok ? list : NULL;
}

napi_value ol_checksum_force(napi_env napi, napi_callback_info info) {
  size_t count = 1;
  char name[32];
  napi_value argument, value = NULL;
  napi_valuetype type;
  if (napi_get_cb_info(napi, info, &count, &argument, NULL, NULL) != napi_ok) return NULL;
  if (napi_typeof(napi, argument, &type) != napi_ok) return NULL;
  bool named = type == napi_string &&
               napi_get_value_string_utf8(napi, argument, name, sizeof(name), NULL) == napi_ok;
  napi_get_boolean(napi, ol_crc_force(named ? name : NULL), &value);
  return value;
}

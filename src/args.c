#include "args.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

static bool is_detached(napi_env env, napi_value view) {
  napi_value buffer;
  bool detached = false;
  if (napi_get_typedarray_info(env, view, NULL, NULL, NULL, &buffer, NULL) != napi_ok) return false;
  napi_is_detached_arraybuffer(env, buffer, &detached);
  return detached;
}

ol_status ol_args_view(const ol_call *call, size_t index, ol_bytes *bytes, ol_failure *failure) {
  void *data = NULL;
  *bytes = (ol_bytes){NULL, 0};
  napi_value view = call->arguments[index];
  if (napi_get_typedarray_info(call->env, view, NULL, &bytes->size, &data, NULL, NULL) != napi_ok) {
    return ol_fail(failure, OL_ARG_TYPE, "%s", "");
  }
  bytes->data = data;
  if (bytes->size == 0 && is_detached(call->env, view)) {
    return ol_fail(failure, OL_DETACHED, "%s", "");
  }
  return OL_OK;
}

ol_status ol_args_hold(const ol_call *call, size_t index, ol_hold_use use, ol_bytes *bytes,
                       ol_failure *failure) {
  if (!call->job->leaves || bytes->size == 0) return OL_OK;
  napi_value view = call->arguments[index], buffer;
  if (napi_get_typedarray_info(call->env, view, NULL, NULL, NULL, &buffer, NULL) != napi_ok) {
    return ol_fail(failure, OL_ARG_TYPE, "%s", "");
  }
  ol_hold *hold = &call->job->holds[call->job->hold_count++];
  if (!ol_hold_take(hold, call->env, view, buffer, use, bytes)) {
    return ol_fail(failure, OL_OUT_OF_MEMORY, "%s", "");
  }
  return OL_OK;
}

ol_status ol_args_bytes(const ol_call *call, size_t index, ol_hold_use use, ol_bytes *bytes,
                        ol_failure *failure) {
  ol_status status = ol_args_view(call, index, bytes, failure);
  if (status != OL_OK) return status;
  return ol_args_hold(call, index, use, bytes, failure);
}

ol_status ol_args_small(const ol_call *call, size_t index, uint8_t *copy, size_t capacity,
                        ol_bytes *bytes, ol_failure *failure) {
  ol_status status = ol_args_view(call, index, bytes, failure);
  if (status != OL_OK) return status;
  if (bytes->size > capacity) return ol_fail(failure, OL_RANGE, "%s", "");
  if (!call->job->leaves || bytes->size == 0) return OL_OK;
  memcpy(copy, bytes->data, bytes->size);
  bytes->data = copy;
  return OL_OK;
}

ol_status ol_args_copy(const ol_call *call, size_t index, ol_bytes *bytes, uint8_t **owned,
                       ol_failure *failure) {
  *owned = NULL;
  ol_status status = ol_args_view(call, index, bytes, failure);
  if (status != OL_OK || !call->job->leaves || bytes->size == 0) return status;
  *owned = malloc(bytes->size);
  if (*owned == NULL) return ol_fail(failure, OL_OUT_OF_MEMORY, "%s", "");
  memcpy(*owned, bytes->data, bytes->size);
  bytes->data = *owned;
  return OL_OK;
}

ol_status ol_args_pieces(const ol_call *call, size_t index, ol_pieces *pieces,
                         ol_failure *failure) {
  while (pieces->count < OL_PIECES_MAX && ol_args_given(call, index + pieces->count)) {
    ol_bytes *piece = &pieces->list[pieces->count];
    ol_status status = ol_args_bytes(call, index + pieces->count, OL_HOLD_READ, piece, failure);
    if (status != OL_OK) return status;
    pieces->size += piece->size;
    pieces->count++;
  }
  return OL_OK;
}

uint32_t ol_args_uint32(const ol_call *call, size_t index) {
  uint32_t value = 0;
  napi_get_value_uint32(call->env, call->arguments[index], &value);
  return value;
}

uint64_t ol_args_uint64(const ol_call *call, size_t index) {
  uint64_t value = 0;
  bool lossless;
  napi_get_value_bigint_uint64(call->env, call->arguments[index], &value, &lossless);
  return value;
}

int64_t ol_args_int64(const ol_call *call, size_t index) {
  int64_t value = 0;
  napi_get_value_int64(call->env, call->arguments[index], &value);
  return value;
}

int32_t ol_args_int32(const ol_call *call, size_t index) {
  int32_t value = 0;
  napi_get_value_int32(call->env, call->arguments[index], &value);
  return value;
}

bool ol_args_bool(const ol_call *call, size_t index) {
  bool value = false;
  napi_get_value_bool(call->env, call->arguments[index], &value);
  return value;
}

bool ol_args_given(const ol_call *call, size_t index) {
  napi_valuetype type = napi_undefined;
  napi_typeof(call->env, call->arguments[index], &type);
  return type != napi_undefined && type != napi_null;
}

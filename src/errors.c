#include "errors.h"

#include <uv.h>

static const char *const statuses[OL_STATUS_COUNT][3] = {
#define OL_STATUS_ROW(name, class, code, message) {#class, code, message},
    OL_STATUS_LIST(OL_STATUS_ROW)
#undef OL_STATUS_ROW
};

/* A NULL text stays undefined. */
static napi_status text_create(napi_env env, const char *text, napi_value *value) {
  if (text == NULL) return napi_get_undefined(env, value);
  return napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, value);
}

napi_status ol_error_create(napi_env env, napi_ref make, const ol_failure *failure,
                            napi_value *error) {
  enum { STATUS, DETAIL, NUMBER, CODE, SYSCALL, PATH, WRITTEN, COUNT };
  napi_value arguments[COUNT], function, receiver;
  bool system = failure->status == OL_SYSTEM;
  char code[32] = "";
  int number = 0;
  if (system) {
    number = uv_translate_sys_error(failure->error_number);
    uv_err_name_r(number, code, sizeof(code));
  }
  napi_status status = napi_get_reference_value(env, make, &function);
  if (status == napi_ok) status = napi_get_undefined(env, &receiver);
  if (status == napi_ok) status = napi_create_int32(env, failure->status, &arguments[STATUS]);
  if (status == napi_ok) {
    status = text_create(env, system ? uv_strerror(number) : failure->detail, &arguments[DETAIL]);
  }
  if (status == napi_ok) status = napi_create_int32(env, number, &arguments[NUMBER]);
  if (status == napi_ok) status = text_create(env, code, &arguments[CODE]);
  if (status == napi_ok) {
    status = text_create(env, system ? failure->syscall : NULL, &arguments[SYSCALL]);
  }
  if (status == napi_ok) {
    status = text_create(env, system ? failure->path : NULL, &arguments[PATH]);
  }
  if (status == napi_ok) {
    status = system && failure->written >= 0
                 ? napi_create_int64(env, failure->written, &arguments[WRITTEN])
                 : napi_get_undefined(env, &arguments[WRITTEN]);
  }
  if (status != napi_ok) return status;
  return napi_call_function(env, receiver, function, COUNT, arguments, error);
}

napi_status ol_errors_export(napi_env env, napi_value exports) {
  napi_value list, row, text;
  napi_status status = napi_create_array_with_length(env, OL_STATUS_COUNT, &list);
  for (uint32_t i = 0; status == napi_ok && i < OL_STATUS_COUNT; i++) {
    status = napi_create_array_with_length(env, 3, &row);
    for (uint32_t k = 0; status == napi_ok && k < 3; k++) {
      status = text_create(env, statuses[i][k], &text);
      if (status == napi_ok) status = napi_set_element(env, row, k, text);
    }
    if (status == napi_ok) status = napi_set_element(env, list, i, row);
  }
  return status == napi_ok ? napi_set_named_property(env, exports, "statuses", list) : status;
}

/* Turns a failure into the JavaScript error that tells of it. JS thread. */
#ifndef OL_ERRORS_H
#define OL_ERRORS_H

#include <node_api.h>

#include "core/status.h"

/* Makes the error by calling make(status, detail, errorNumber, systemCode, syscall, path,
 * bytesWritten), a function of the JavaScript layer. */
napi_status ol_error_create(napi_env env, napi_ref make, const ol_failure *failure,
                            napi_value *error);

/* Sets exports.statuses: the list of core/status.h as [class, code, message] by number. */
napi_status ol_errors_export(napi_env env, napi_value exports);

#endif

/* What JavaScript asks of a stream besides its operations. */
#ifndef OL_OP_STREAM_H
#define OL_OP_STREAM_H

#include <node_api.h>

/* streamClose(stream): frees it and wipes what it knew; if a job is at work on it, as soon as that
 * ends. The stream takes nothing more. `data` is ignored. */
napi_value ol_stream_close(napi_env napi, napi_callback_info info);

#endif

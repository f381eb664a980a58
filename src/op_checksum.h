/* What JavaScript asks about checksums besides summing. `data` of each is ignored. */
#ifndef OL_OP_CHECKSUM_H
#define OL_OP_CHECKSUM_H

#include <node_api.h>

/* crcs(): [{ name, width, polynomial }], where polynomial is reflected and a BigInt. The position
 * is the id by which the operations take a CRC. */
napi_value ol_checksum_crcs(napi_env napi, napi_callback_info info);

/* crcKernels(): [{ name, available, active }], fastest first. */
napi_value ol_checksum_kernels(napi_env napi, napi_callback_info info);

/* crcForce(name?): for tests and benchmarks; true if the kernel named so is now in use, in the
 * whole process. Without a name: the fastest. See ol_crc_force. */
napi_value ol_checksum_force(napi_env napi, napi_callback_info info);

#endif

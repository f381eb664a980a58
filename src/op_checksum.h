/* What other operations and JavaScript need of checksums besides summing. */
#ifndef OL_OP_CHECKSUM_H
#define OL_OP_CHECKSUM_H

#include "args.h"
#include "core/crc.h"

/* Reads a checksum's id and the value that it goes on from: a BigInt for one of 64 bits, else a
 * number. */
ol_status ol_checksum_read(const ol_call *call, size_t id, size_t value, ol_crc_sum *sum,
                           ol_failure *failure);

/* The value as JavaScript has it. */
napi_status ol_checksum_create(napi_env env, const ol_crc_sum *sum, napi_value *value);

/* Of the following `data` is ignored. */

/* crcs(): [{ name, width, polynomial }], where polynomial is reflected and a BigInt. The position
 * is the id by which the operations take a CRC. */
napi_value ol_checksum_crcs(napi_env napi, napi_callback_info info);

/* crcKernels(): [{ name, available, active }], fastest first. */
napi_value ol_checksum_kernels(napi_env napi, napi_callback_info info);

/* crcForce(name?): for tests and benchmarks; true if the kernel named so is now in use, in the
 * whole process. Without a name: the fastest. See ol_crc_force. */
napi_value ol_checksum_force(napi_env napi, napi_callback_info info);

#endif

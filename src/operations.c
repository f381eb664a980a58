#include "operation.h"

extern const ol_operation ol_operation_hash;
extern const ol_operation ol_operation_hmac;
extern const ol_operation ol_operation_cipher;

const ol_operation *const ol_operations[] = {
    &ol_operation_hash,
    &ol_operation_hmac,
    &ol_operation_cipher,
    NULL,
};

#include "operation.h"

extern const ol_operation ol_operation_hash;
extern const ol_operation ol_operation_hmac;
extern const ol_operation ol_operation_cipher;
extern const ol_operation ol_operation_crc;
extern const ol_operation ol_operation_crc64;
extern const ol_operation ol_operation_crc_combine;
extern const ol_operation ol_operation_recrypt;
extern const ol_operation ol_operation_pdf_encryption;

const ol_operation *const ol_operations[] = {
    &ol_operation_hash,
    &ol_operation_hmac,
    &ol_operation_cipher,
    &ol_operation_crc,
    &ol_operation_crc64,
    &ol_operation_crc_combine,
    &ol_operation_recrypt,
    &ol_operation_pdf_encryption,
    NULL,
};

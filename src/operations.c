#include "operation.h"

extern const ol_operation ol_operation_hash;
extern const ol_operation ol_operation_hmac;
extern const ol_operation ol_operation_cipher;
extern const ol_operation ol_operation_crc;
extern const ol_operation ol_operation_crc64;
extern const ol_operation ol_operation_cipher_sum;
extern const ol_operation ol_operation_crc_combine;
extern const ol_operation ol_operation_crc_pieces;
extern const ol_operation ol_operation_crc_file;
extern const ol_operation ol_operation_hash_file;
extern const ol_operation ol_operation_checksum_and_write;
extern const ol_operation ol_operation_hash_stream;
extern const ol_operation ol_operation_hmac_stream;
extern const ol_operation ol_operation_cipher_stream;
extern const ol_operation ol_operation_stream_update;
extern const ol_operation ol_operation_stream_finish;
extern const ol_operation ol_operation_recrypt;
extern const ol_operation ol_operation_pdf_encryption;

const ol_operation *const ol_operations[] = {
    &ol_operation_hash,
    &ol_operation_hmac,
    &ol_operation_cipher,
    &ol_operation_crc,
    &ol_operation_crc64,
    &ol_operation_crc_combine,
    &ol_operation_cipher_sum,
    &ol_operation_crc_pieces,
    &ol_operation_crc_file,
    &ol_operation_hash_file,
    &ol_operation_checksum_and_write,
    &ol_operation_hash_stream,
    &ol_operation_hmac_stream,
    &ol_operation_cipher_stream,
    &ol_operation_stream_update,
    &ol_operation_stream_finish,
    &ol_operation_recrypt,
    &ol_operation_pdf_encryption,
    NULL,
};

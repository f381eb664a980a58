/**
 * How a document's strings and streams are encrypted, read from or written to its encryption
 * dictionary (ISO 32000-2, 7.6), and the keys of single objects.
 *
 * One thread at a time. Structs that hold keys are wiped by ol_crypt_free.
 */
#ifndef OL_PDF_FAST_CRYPT_H
#define OL_PDF_FAST_CRYPT_H

#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects.h"
#include "recrypt.h"

typedef enum {
  OL_CRYPT_NONE,
  OL_CRYPT_RC4,   /* A key per object. */
  OL_CRYPT_AESV2, /* AES-128-CBC, a key per object. */
  OL_CRYPT_AESV3  /* AES-256-CBC with the file key. */
} ol_crypt_method;

enum { OL_CRYPT_FILTERS_MAX = 8, OL_CRYPT_NAME_MAX = 64, OL_CRYPT_DICT_MAX = 2048 };

typedef struct {
  char name[OL_CRYPT_NAME_MAX];
  ol_crypt_method method;
} ol_crypt_filter;

typedef struct {
  ol_crypt_method strings, streams, attachments;
  bool encrypt_metadata;
  uint8_t key[OL_HANDLER_KEY_MAX];
  size_t key_bytes;
  ol_crypt_filter filters[OL_CRYPT_FILTERS_MAX];
  size_t filter_count;
  EVP_MD *md5;
  EVP_MD_CTX *digest;
} ol_crypt;

/**
 * Reads the encryption dictionary at [dict, end), which a walk has found well-formed, and opens
 * it with the first of the options' passwords that fits. False for anything unknown or irregular
 * and where no password fits.
 */
bool ol_crypt_read(ol_crypt *crypt, const uint8_t *dict, const uint8_t *end, const uint8_t *id,
                   size_t id_length, const ol_pdf_options *options);

/**
 * Makes the encryption that the options ask for (not OL_PDF_CIPHER_NONE) and writes its
 * dictionary, at most OL_CRYPT_DICT_MAX bytes, to `dict`.
 */
bool ol_crypt_create(ol_crypt *crypt, const ol_pdf_options *options, const uint8_t *id,
                     size_t id_length, char *dict, size_t *dict_length);

/** The key of one object for a method other than NONE (Algorithm 1 and 1.A). */
bool ol_crypt_object_key(ol_crypt *crypt, ol_crypt_method method, uint32_t number,
                         uint16_t generation, uint8_t key[OL_HANDLER_KEY_MAX], size_t *key_bytes);

/** A crypt filter by its name's token; false if the dictionary has none of that name. */
bool ol_crypt_find(const ol_crypt *crypt, const ol_token *name, ol_crypt_method *method);

void ol_crypt_free(ol_crypt *crypt);

#endif

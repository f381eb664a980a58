/**
 * AES-CBC over many independent messages at once. CBC is bound by the latency of AES within a
 * message; side by side, messages fill the pipeline: 8 with AES-NI or ARMv8, 16 with VAES.
 *
 * Hardware instructions only, so constant-time; where there are none, OpenSSL takes one message
 * after the other. Round keys are wiped before return. Any thread; nothing is kept.
 */
#ifndef OL_PDF_LANES_H
#define OL_PDF_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a flag that another thread may set is set. NULL never is. */
static inline bool ol_is_set(const volatile int *flag) {
#if defined(__GNUC__)
  return flag && __atomic_load_n(flag, __ATOMIC_RELAXED);
#else
  return flag && *flag;
#endif
}

enum { OL_LANES_MAX = 16, OL_AES_BLOCK = 16, OL_AES_ROUNDS_MAX = 14 };

typedef struct {
  const uint8_t *in;
  /* Takes the ciphertext: `length` bytes, or with padding 16 to 1 more. May be `in` itself. */
  uint8_t *out;
  size_t length; /* Without padding a multiple of 16. */
  /* The call's key_bytes bytes, borrowed. Jobs that share a key should share the pointer. */
  const uint8_t *key;
  uint8_t iv[OL_AES_BLOCK]; /* Afterwards the last block of ciphertext, so that one can go on. */
  bool pad;                 /* Ends in PKCS #7's padding. */
} ol_cbc_job;

typedef enum {
  OL_LANES_AUTO, /* The widest that this processor has. */
  OL_LANES_OPENSSL,
  OL_LANES_AESNI,
  OL_LANES_VAES,
  OL_LANES_ARM
} ol_lanes_kind;

typedef enum { OL_LANES_OK, OL_LANES_CANCELLED, OL_LANES_FAILED } ol_lanes_status;

/**
 * Encrypts all jobs with AES-128 or AES-256 (key_bytes 16 or 32). `cancel` may be NULL; not 0
 * stops the call within 1 MiB. On any status but OK what was written is undefined.
 */
ol_lanes_status ol_cbc_encrypt(ol_cbc_job *jobs, size_t count, size_t key_bytes,
                               const volatile int *cancel);

/** The same by a given implementation; FAILED where this processor lacks it. */
ol_lanes_status ol_cbc_encrypt_with(ol_lanes_kind kind, ol_cbc_job *jobs, size_t count,
                                    size_t key_bytes, const volatile int *cancel);

/** Whether this build and processor have an implementation. */
bool ol_lanes_has(ol_lanes_kind kind);

#endif

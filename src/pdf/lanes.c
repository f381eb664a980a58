#include "lanes.h"

#include <openssl/evp.h>
#include <string.h>

#include "core/cpu.h"
#include "lanes_schedule.h"

enum { PIECE = 1 << 20 };

static ol_lanes_status encrypt_one(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher, ol_cbc_job *job,
                                   const volatile int *cancel) {
  uint8_t block[OL_AES_BLOCK];
  size_t rest = job->pad ? job->length % OL_AES_BLOCK : 0, length = job->length - rest;
  int n;
  if (!EVP_EncryptInit_ex2(ctx, cipher, job->key, job->iv, NULL) ||
      !EVP_CIPHER_CTX_set_padding(ctx, 0)) {
    return OL_LANES_FAILED;
  }
  memset(block, (int)(OL_AES_BLOCK - rest), sizeof block);
  if (rest) memcpy(block, job->in + length, rest);
  for (size_t at = 0; at < length; at += PIECE) {
    size_t piece = length - at < PIECE ? length - at : PIECE;
    if (ol_is_set(cancel)) return OL_LANES_CANCELLED;
    if (!EVP_EncryptUpdate(ctx, job->out + at, &n, job->in + at, (int)piece)) {
      return OL_LANES_FAILED;
    }
  }
  if (job->pad) {
    if (!EVP_EncryptUpdate(ctx, job->out + length, &n, block, sizeof block)) {
      return OL_LANES_FAILED;
    }
    length += OL_AES_BLOCK;
  }
  if (length) memcpy(job->iv, job->out + length - OL_AES_BLOCK, OL_AES_BLOCK);
  return OL_LANES_OK;
}

static ol_lanes_status encrypt_openssl(ol_cbc_job *jobs, size_t count, size_t key_bytes,
                                       const volatile int *cancel) {
  EVP_CIPHER *cipher =
      EVP_CIPHER_fetch(NULL, key_bytes == 32 ? "AES-256-CBC" : "AES-128-CBC", NULL);
  EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
  ol_lanes_status status = cipher && ctx ? OL_LANES_OK : OL_LANES_FAILED;
  for (size_t i = 0; i < count && status == OL_LANES_OK; i++) {
    status = encrypt_one(ctx, cipher, &jobs[i], cancel);
  }
  EVP_CIPHER_CTX_free(ctx);
  EVP_CIPHER_free(cipher);
  return status;
}

static const ol_lanes_kernel *find_kernel(ol_lanes_kind kind) {
  switch (kind) {
    case OL_LANES_AESNI:
      return ol_cpu_has(OL_CPU_AESNI) ? ol_lanes_aesni() : NULL;
    case OL_LANES_VAES:
      return ol_cpu_has(OL_CPU_AESNI | OL_CPU_AVX512 | OL_CPU_VAES) ? ol_lanes_vaes() : NULL;
    case OL_LANES_ARM:
      return ol_cpu_has(OL_CPU_AES) ? ol_lanes_arm() : NULL;
    default:
      return NULL;
  }
}

bool ol_lanes_has(ol_lanes_kind kind) {
  return kind == OL_LANES_AUTO || kind == OL_LANES_OPENSSL || find_kernel(kind) != NULL;
}

ol_lanes_status ol_cbc_encrypt_with(ol_lanes_kind kind, ol_cbc_job *jobs, size_t count,
                                    size_t key_bytes, const volatile int *cancel) {
  const ol_lanes_kernel *kernel = find_kernel(kind);
  if (key_bytes != 16 && key_bytes != 32) return OL_LANES_FAILED;
  if (kind == OL_LANES_AUTO) return ol_cbc_encrypt(jobs, count, key_bytes, cancel);
  if (kind == OL_LANES_OPENSSL) return encrypt_openssl(jobs, count, key_bytes, cancel);
  return kernel ? ol_lanes_schedule(kernel, jobs, count, key_bytes, cancel) : OL_LANES_FAILED;
}

ol_lanes_status ol_cbc_encrypt(ol_cbc_job *jobs, size_t count, size_t key_bytes,
                               const volatile int *cancel) {
  static const ol_lanes_kind widest[] = {OL_LANES_VAES, OL_LANES_AESNI, OL_LANES_ARM};
  /* A job alone gains nothing from lanes, and OpenSSL's loop is the tighter one. */
  if (count > 1) {
    for (size_t i = 0; i < sizeof widest / sizeof *widest; i++) {
      const ol_lanes_kernel *kernel = find_kernel(widest[i]);
      if (kernel) return ol_lanes_schedule(kernel, jobs, count, key_bytes, cancel);
    }
  }
  return encrypt_openssl(jobs, count, key_bytes, cancel);
}

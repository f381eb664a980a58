#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "core/cipher.h"
#include "op_checksum.h"

/* cipher(flags, key, iv, data, target, aad, tag): without a tag an AEAD's is appended to the
 * ciphertext. The result is the number of bytes written to target. Everything but the buffers is
 * packed into one number, for each argument read costs some 15 ns. */
enum { FLAGS, KEY, IV, DATA, TARGET, AAD, TAG, COUNT };

/* flags = id | tag length << 8 | these; as in lib/cipher.js. */
enum { TAG_LENGTH_SHIFT = 8, HAS_AAD = 1 << 16, HAS_TAG = 1 << 17, ENCRYPTING = 1 << 18 };

typedef struct {
  ol_cipher_job message;
  ol_bytes data, target;
  size_t tag_size;
  uint8_t *owned_aad;
  uint8_t key[OL_KEY_MAX], iv[OL_IV_MAX], tag[OL_TAG_MAX];
  bool secrets; /* key and tag were copied here */
} cipher_state;

static ol_status read_secrets(const ol_call *call, cipher_state *state, uint32_t flags,
                              ol_failure *failure) {
  ol_cipher_job *message = &state->message;
  state->secrets = call->job->leaves;
  ol_status status =
      ol_args_small(call, KEY, state->key, sizeof(state->key), &message->key, failure);
  if (status == OL_RANGE) status = ol_fail(failure, OL_KEY_LENGTH, "%s", "");
  if (status == OL_OK) {
    status = ol_args_small(call, IV, state->iv, sizeof(state->iv), &message->iv, failure);
    if (status == OL_RANGE) status = ol_fail(failure, OL_IV_LENGTH, "%s", "");
  }
  if (status != OL_OK) return status;
  if (message->key.size != message->cipher->key_size) {
    return ol_fail(failure, OL_KEY_LENGTH, "%s", "");
  }
  if (message->iv.size != message->cipher->iv_size) {
    return ol_fail(failure, OL_IV_LENGTH, "%s", "");
  }
  if (!message->cipher->aead) return OL_OK;
  if (!ol_cipher_tag_size_valid(message->cipher, state->tag_size)) {
    return ol_fail(failure, OL_TAG_LENGTH, "%u", (unsigned)state->tag_size);
  }
  if ((flags & HAS_AAD) == 0) return OL_OK;
  return ol_args_copy(call, AAD, &message->aad, &state->owned_aad, failure);
}

static ol_status read_tag(const ol_call *call, cipher_state *state, ol_failure *failure) {
  ol_cipher_job *message = &state->message;
  ol_status status = ol_args_view(call, TAG, &message->tag, failure);
  if (status != OL_OK) return status;
  if (message->tag.size < state->tag_size) {
    return ol_fail(failure, OL_RANGE, "The tag needs %u bytes", (unsigned)state->tag_size);
  }
  message->tag.size = state->tag_size;
  return OL_OK;
}

/* Finds how much is enciphered, which of the data may be an appended tag, and what the target must
 * hold. */
static ol_status measure(cipher_state *state, bool detached, ol_failure *failure) {
  ol_cipher_job *message = &state->message;
  size_t appended = message->cipher->aead && !detached ? state->tag_size : 0;
  message->size = state->data.size;
  if (!message->encrypting) {
    if (message->size < appended) return ol_fail(failure, OL_AUTHENTICATION, "%s", "");
    message->size -= appended;
  }
  if (message->size > message->cipher->data_max) {
    return ol_fail(failure, OL_RANGE, "The data may have at most %" PRIu64 " bytes",
                   message->cipher->data_max);
  }
  size_t needed = message->size + (message->encrypting ? appended : 0);
  if (state->target.size < needed) {
    return ol_fail(failure, OL_RANGE, "The target needs %zu bytes", needed);
  }
  state->target.size = needed;
  return OL_OK;
}

static ol_status check_overlap(const cipher_state *state, bool detached, ol_failure *failure) {
  bool in_place = state->data.data == state->target.data;
  if (!in_place && ol_bytes_overlap(state->data, state->target)) {
    return ol_fail(failure, OL_ARG_VALUE, "The target overlaps the data without starting with it");
  }
  if (detached && (ol_bytes_overlap(state->message.tag, state->data) ||
                   ol_bytes_overlap(state->message.tag, state->target))) {
    return ol_fail(failure, OL_ARG_VALUE, "The tag overlaps the data or the target");
  }
  return OL_OK;
}

/* Holds the buffers, which may move them, and says where everything is. A tag to be verified is
 * copied, a detached one to be made is written in place. */
static ol_status place(const ol_call *call, cipher_state *state, bool detached,
                       ol_failure *failure) {
  ol_cipher_job *message = &state->message;
  ol_status status = ol_args_hold(call, DATA, OL_HOLD_READ, &state->data, failure);
  if (status == OL_OK) {
    status = ol_args_hold(call, TARGET, OL_HOLD_WRITE, &state->target, failure);
  }
  if (status != OL_OK) return status;
  message->input = state->data.data;
  message->output = state->target.data;
  if (message->cipher->aead && !detached) {
    uint8_t *end = message->encrypting ? state->target.data : state->data.data;
    message->tag = (ol_bytes){end + message->size, state->tag_size};
  } else if (detached && message->encrypting) {
    return ol_args_hold(call, TAG, OL_HOLD_WRITE, &message->tag, failure);
  }
  if (message->encrypting || !call->job->leaves || message->tag.size == 0) return OL_OK;
  memcpy(state->tag, message->tag.data, message->tag.size);
  message->tag.data = state->tag;
  return OL_OK;
}

static ol_status cipher_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  cipher_state *state = memory;
  uint32_t flags = ol_args_uint32(call, FLAGS);
  state->message.cipher = ol_cipher_at(flags & 0xff);
  if (state->message.cipher == NULL) return ol_fail(failure, OL_ARG_VALUE, "%s", "");
  state->message.encrypting = (flags & ENCRYPTING) != 0;
  state->tag_size = flags >> TAG_LENGTH_SHIFT & 0xff;
  bool detached = state->message.cipher->aead && (flags & HAS_TAG) != 0;
  ol_status status = read_secrets(call, state, flags, failure);
  if (status == OL_OK) status = ol_args_view(call, DATA, &state->data, failure);
  if (status == OL_OK) status = ol_args_view(call, TARGET, &state->target, failure);
  if (status == OL_OK && detached) status = read_tag(call, state, failure);
  if (status == OL_OK) status = measure(state, detached, failure);
  if (status == OL_OK) status = check_overlap(state, detached, failure);
  if (status == OL_OK) status = place(call, state, detached, failure);
  if (status != OL_OK) return status;
  ol_job_cost(call->job, 500 + state->message.size / 4 + state->message.aad.size / 4);
  return OL_OK;
}

static ol_status cipher_run(void *memory, ol_run *run) {
  cipher_state *state = memory;
  run->written = state->target.size;
  return ol_cipher_run(&state->message, run);
}

static void cipher_release(void *memory) {
  cipher_state *state = memory;
  if (state->owned_aad != NULL) {
    OPENSSL_cleanse(state->owned_aad, state->message.aad.size);
    free(state->owned_aad);
  }
  if (state->secrets) {
    OPENSSL_cleanse(state->key, sizeof(state->key));
    OPENSSL_cleanse(state->iv, sizeof(state->iv));
    OPENSSL_cleanse(state->tag, sizeof(state->tag));
  }
}

const ol_operation ol_operation_cipher = {
    .name = "cipher",
    .argument_count = COUNT,
    .state_size = sizeof(cipher_state),
    .prepare = cipher_prepare,
    .run = cipher_run,
    .release = cipher_release,
};

/* cipherSum(flags, key, iv, data, target, aad, tag, id, value): as cipher, but the result is the
 * checksum of all that is written to target, a tag included, appended to what has that value. */
enum { SUM_ID = COUNT, SUM_VALUE, SUM_COUNT };

typedef struct {
  cipher_state cipher;
  ol_crc_sum sum;
} sum_state;

static ol_status sum_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  sum_state *state = memory;
  ol_status status = cipher_prepare(call, &state->cipher, failure);
  state->cipher.message.sum = &state->sum;
  return status == OL_OK ? ol_checksum_read(call, SUM_ID, SUM_VALUE, &state->sum, failure) : status;
}

static ol_status sum_run(void *memory, ol_run *run) {
  sum_state *state = memory;
  ol_bytes target = state->cipher.target;
  size_t summed = state->cipher.message.size;
  ol_status status = cipher_run(&state->cipher, run);
  if (status == OL_OK) ol_crc_sum_add(&state->sum, target.data + summed, target.size - summed);
  return status;
}

static napi_status sum_result(napi_env env, void *memory, napi_value *value) {
  return ol_checksum_create(env, &((sum_state *)memory)->sum, value);
}

static void sum_release(void *memory) {
  cipher_release(&((sum_state *)memory)->cipher);
}

const ol_operation ol_operation_cipher_sum = {
    .name = "cipherSum",
    .argument_count = SUM_COUNT,
    .state_size = sizeof(sum_state),
    .prepare = sum_prepare,
    .run = sum_run,
    .result = sum_result,
    .release = sum_release,
};

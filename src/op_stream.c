#include "op_stream.h"

#include <openssl/crypto.h>
#include <stdlib.h>

#include "args.h"
#include "core/stream.h"

/* A stream as JavaScript holds it. Its fields belong to the JS thread; the stream itself, while a
 * job is at work on it, to that. */
typedef struct {
  ol_stream *stream; /* NULL once closed */
  unsigned owners;   /* the external value, and the job at work */
  bool busy;         /* a job is at work */
  bool closing;      /* to be closed when that ends */
} handle;

static void handle_close(handle *self) {
  self->closing = true;
  if (self->busy) return;
  ol_stream_free(self->stream);
  self->stream = NULL;
}

static void handle_disown(handle *self) {
  if (--self->owners > 0) return;
  handle_close(self);
  free(self);
}

static void handle_finalize(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  handle_disown(data);
}

/* The handle takes the stream; on failure the stream stays the caller's. */
static napi_status handle_create(napi_env env, ol_stream *stream, napi_value *value) {
  handle *self = calloc(1, sizeof(*self));
  if (self == NULL) return napi_generic_failure;
  *self = (handle){.stream = stream, .owners = 1};
  napi_status status = napi_create_external(env, self, handle_finalize, NULL, value);
  if (status != napi_ok) free(self);
  return status;
}

/* Takes a handle for the job's time; handle_leave gives it back. */
static ol_status handle_enter(const ol_call *call, size_t index, handle **taken,
                              ol_failure *failure) {
  void *data = NULL;
  if (napi_get_value_external(call->env, call->arguments[index], &data) != napi_ok) {
    return ol_fail(failure, OL_ARG_TYPE, "%s", "");
  }
  handle *self = data;
  if (self->busy || self->closing) {
    return ol_fail(failure, OL_ARG_VALUE, "The stream is closed, or at work");
  }
  self->busy = true;
  self->owners++;
  *taken = self;
  return OL_OK;
}

static void handle_leave(handle *self) {
  if (self == NULL) return;
  self->busy = false;
  if (self->closing) handle_close(self);
  handle_disown(self);
}

napi_value ol_stream_close(napi_env napi, napi_callback_info info) {
  size_t count = 1;
  napi_value argument;
  void *data = NULL;
  if (napi_get_cb_info(napi, info, &count, &argument, NULL, NULL) != napi_ok) return NULL;
  if (napi_get_value_external(napi, argument, &data) == napi_ok) handle_close(data);
  return NULL;
}

/* The operations that make a stream are called at once, never through the pool. */

static napi_status made_result(napi_env env, ol_stream **made, napi_value *value) {
  napi_status status = handle_create(env, *made, value);
  if (status == napi_ok) *made = NULL;
  return status;
}

/* hashStream(id, size) and hmacStream(id, size, key) */
enum { DIGEST_ID, DIGEST_SIZE, DIGEST_KEY, DIGEST_COUNT };

typedef struct {
  const ol_digest *digest;
  size_t size;
  bool keyed;
  ol_bytes key;
  uint8_t *owned_key;
  ol_stream *made;
} digest_state;

static ol_status hash_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  digest_state *state = memory;
  state->digest = ol_digest_at(ol_args_uint32(call, DIGEST_ID));
  state->size = ol_args_uint32(call, DIGEST_SIZE);
  if (state->digest == NULL) return ol_fail(failure, OL_ARG_VALUE, "%s", "");
  if (state->size != state->digest->size && !state->digest->extendable) {
    return ol_fail(failure, OL_RANGE, "%s", "");
  }
  return OL_OK;
}

static ol_status hmac_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  digest_state *state = memory;
  ol_status status = hash_prepare(call, memory, failure);
  if (status != OL_OK) return status;
  if (!state->digest->keyed) return ol_fail(failure, OL_ARG_VALUE, "%s", "");
  state->keyed = true;
  return ol_args_copy(call, DIGEST_KEY, &state->key, &state->owned_key, failure);
}

static ol_status digest_run(void *memory, ol_run *run) {
  digest_state *state = memory;
  if (state->keyed) return ol_stream_new_hmac(state->digest, state->key, &state->made, run);
  return ol_stream_new_digest(state->digest, state->size, &state->made, run);
}

static napi_status digest_result(napi_env env, void *memory, napi_value *value) {
  return made_result(env, &((digest_state *)memory)->made, value);
}

static void digest_release(void *memory) {
  digest_state *state = memory;
  ol_stream_free(state->made);
  if (state->owned_key == NULL) return;
  OPENSSL_cleanse(state->owned_key, state->key.size);
  free(state->owned_key);
}

const ol_operation ol_operation_hash_stream = {
    .name = "hashStream",
    .argument_count = DIGEST_COUNT - 1,
    .state_size = sizeof(digest_state),
    .prepare = hash_prepare,
    .run = digest_run,
    .result = digest_result,
    .release = digest_release,
};

const ol_operation ol_operation_hmac_stream = {
    .name = "hmacStream",
    .argument_count = DIGEST_COUNT,
    .state_size = sizeof(digest_state),
    .prepare = hmac_prepare,
    .run = digest_run,
    .result = digest_result,
    .release = digest_release,
};

/* cipherStream(id, encrypting, tagLength, key, iv, aad, tag): aad and tag may be undefined; a tag
 * is the one to be verified, if it is not at the end of the data. */
enum { CIPHER_ID, ENCRYPTING, TAG_LENGTH, KEY, IV, AAD, TAG, CIPHER_COUNT };

typedef struct {
  ol_cipher_job message;
  size_t tag_size;
  uint8_t *owned_aad;
  uint8_t key[OL_KEY_MAX], iv[OL_IV_MAX], tag[OL_TAG_MAX];
  ol_stream *made;
} cipher_state;

static ol_status cipher_read_aead(const ol_call *call, cipher_state *state, ol_failure *failure) {
  ol_cipher_job *message = &state->message;
  if (!message->cipher->aead) return OL_OK;
  state->tag_size = ol_args_uint32(call, TAG_LENGTH);
  if (!ol_cipher_tag_size_valid(message->cipher, state->tag_size)) {
    return ol_fail(failure, OL_TAG_LENGTH, "%u", (unsigned)state->tag_size);
  }
  ol_status status = OL_OK;
  if (ol_args_given(call, TAG)) {
    status = ol_args_small(call, TAG, state->tag, sizeof(state->tag), &message->tag, failure);
    if (status == OL_OK && message->tag.size != state->tag_size) {
      status = ol_fail(failure, OL_RANGE, "The tag needs %u bytes", (unsigned)state->tag_size);
    }
  }
  if (status != OL_OK || !ol_args_given(call, AAD)) return status;
  return ol_args_copy(call, AAD, &message->aad, &state->owned_aad, failure);
}

static ol_status cipher_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  cipher_state *state = memory;
  ol_cipher_job *message = &state->message;
  message->cipher = ol_cipher_at(ol_args_uint32(call, CIPHER_ID));
  message->encrypting = ol_args_bool(call, ENCRYPTING);
  if (message->cipher == NULL) return ol_fail(failure, OL_ARG_VALUE, "%s", "");
  ol_status status =
      ol_args_small(call, KEY, state->key, sizeof(state->key), &message->key, failure);
  if (status == OL_RANGE || (status == OL_OK && message->key.size != message->cipher->key_size)) {
    return ol_fail(failure, OL_KEY_LENGTH, "%s", "");
  }
  if (status == OL_OK) {
    status = ol_args_small(call, IV, state->iv, sizeof(state->iv), &message->iv, failure);
  }
  if (status == OL_RANGE || (status == OL_OK && message->iv.size != message->cipher->iv_size)) {
    return ol_fail(failure, OL_IV_LENGTH, "%s", "");
  }
  return status == OL_OK ? cipher_read_aead(call, state, failure) : status;
}

static ol_status cipher_run(void *memory, ol_run *run) {
  cipher_state *state = memory;
  return ol_stream_new_cipher(&state->message, state->tag_size, &state->made, run);
}

static napi_status cipher_result(napi_env env, void *memory, napi_value *value) {
  return made_result(env, &((cipher_state *)memory)->made, value);
}

static void cipher_release(void *memory) {
  cipher_state *state = memory;
  ol_stream_free(state->made);
  OPENSSL_cleanse(state->key, sizeof(state->key));
  OPENSSL_cleanse(state->iv, sizeof(state->iv));
  OPENSSL_cleanse(state->tag, sizeof(state->tag));
  if (state->owned_aad == NULL) return;
  OPENSSL_cleanse(state->owned_aad, state->message.aad.size);
  free(state->owned_aad);
}

const ol_operation ol_operation_cipher_stream = {
    .name = "cipherStream",
    .argument_count = CIPHER_COUNT,
    .state_size = sizeof(cipher_state),
    .prepare = cipher_prepare,
    .run = cipher_run,
    .result = cipher_result,
    .release = cipher_release,
};

/* streamUpdate(stream, target, ...pieces): how much was written to target, which a digest has none
 * of, a cipher one as large as the pieces. streamFinish(stream, target): likewise. */
enum { STREAM, TARGET, PIECES, UPDATE_COUNT = PIECES + OL_PIECES_MAX };

typedef struct {
  handle *handle;
  ol_bytes target;
  ol_pieces pieces;
} work_state;

static ol_status work_prepare(const ol_call *call, work_state *state, ol_failure *failure) {
  ol_status status = handle_enter(call, STREAM, &state->handle, failure);
  if (status != OL_OK || !ol_args_given(call, TARGET)) return status;
  return ol_args_bytes(call, TARGET, OL_HOLD_WRITE, &state->target, failure);
}

/* What was not finished is no one's to read: part of a digest, or plaintext not authenticated. */
static ol_status work_end(const work_state *state, ol_status status) {
  if (status != OL_OK && state->target.size > 0) {
    OPENSSL_cleanse(state->target.data, state->target.size);
  }
  return status;
}

static ol_status update_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  work_state *state = memory;
  ol_status status = work_prepare(call, state, failure);
  if (status == OL_OK) status = ol_args_pieces(call, PIECES, &state->pieces, failure);
  if (status != OL_OK) return status;
  ol_job_cost(call->job, 500 + state->pieces.size / 1024 * state->handle->stream->kind->cost);
  bool writes = state->handle->stream->kind->writes;
  if (!writes || state->target.size >= state->pieces.size) return OL_OK;
  return ol_fail(failure, OL_RANGE, "The target needs %zu bytes", state->pieces.size);
}

static ol_status update_run(void *memory, ol_run *run) {
  work_state *state = memory;
  ol_status status = OL_OK;
  for (size_t i = 0; status == OL_OK && i < state->pieces.count; i++) {
    uint8_t *output = state->target.size == 0 ? NULL : state->target.data + run->written;
    status = ol_stream_update(state->handle->stream, state->pieces.list[i], output, run);
  }
  return work_end(state, status);
}

static ol_status finish_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  work_state *state = memory;
  ol_status status = work_prepare(call, state, failure);
  ol_job_cost(call->job, 500 + state->target.size * 2);
  return status;
}

static ol_status finish_run(void *memory, ol_run *run) {
  work_state *state = memory;
  return work_end(state, ol_stream_finish(state->handle->stream, state->target, run));
}

static void work_release(void *memory) {
  handle_leave(((work_state *)memory)->handle);
}

const ol_operation ol_operation_stream_update = {
    .name = "streamUpdate",
    .argument_count = UPDATE_COUNT,
    .state_size = sizeof(work_state),
    .prepare = update_prepare,
    .run = update_run,
    .release = work_release,
};

const ol_operation ol_operation_stream_finish = {
    .name = "streamFinish",
    .argument_count = PIECES,
    .state_size = sizeof(work_state),
    .prepare = finish_prepare,
    .run = finish_run,
    .release = work_release,
};

#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "core/stream.h"

/* OpenSSL wipes a cipher's context when it is freed. */
typedef struct {
  ol_stream base;
  const ol_cipher *cipher;
  bool encrypting;
  EVP_CIPHER_CTX *context;
  uint64_t size; /* bytes enciphered so far */

  /* Decrypting an AEAD: the last tag_size bytes of all are the tag, so as many of what has come are
   * held back; or the tag was given, and held_size is tag_size from the start. */
  size_t tag_size, held_size;
  bool tag_given;
  uint8_t held[OL_TAG_MAX];
} cipher_stream;

/* Enciphers input. */
static ol_status pass(cipher_stream *stream, const uint8_t *input, size_t size, uint8_t *output,
                      ol_run *run) {
  size_t written = 0;
  ol_cipher_job piece = {.cipher = stream->cipher,
                         .encrypting = stream->encrypting,
                         .input = input,
                         .output = output,
                         .size = size};
  if (size > stream->cipher->data_max - stream->size) {
    return ol_fail(run->failure, OL_RANGE, "The data may have at most %" PRIu64 " bytes",
                   stream->cipher->data_max);
  }
  ol_status status = ol_cipher_update(&piece, stream->context, &written, run);
  stream->size += written;
  run->written += written;
  return status;
}

static ol_status cipher_stream_update(ol_stream *base, ol_bytes piece, uint8_t *output,
                                      ol_run *run) {
  cipher_stream *stream = (cipher_stream *)base;
  if (stream->encrypting || !stream->cipher->aead || stream->tag_given) {
    return pass(stream, piece.data, piece.size, output, run);
  }
  /* What may go is all but the last tag_size bytes of what was held and what has come. */
  size_t have = stream->held_size + piece.size;
  size_t go = have > stream->tag_size ? have - stream->tag_size : 0;
  size_t from_held = go < stream->held_size ? go : stream->held_size;
  size_t from_piece = go - from_held;
  ol_status status = pass(stream, stream->held, from_held, output, run);
  if (status == OL_OK) status = pass(stream, piece.data, from_piece, output + from_held, run);
  if (status != OL_OK) return status;
  stream->held_size -= from_held;
  memmove(stream->held, stream->held + from_held, stream->held_size);
  if (piece.size > from_piece) {
    memcpy(stream->held + stream->held_size, piece.data + from_piece, piece.size - from_piece);
    stream->held_size += piece.size - from_piece;
  }
  return OL_OK;
}

static ol_status cipher_stream_finish(ol_stream *base, ol_bytes output, ol_run *run) {
  cipher_stream *stream = (cipher_stream *)base;
  ol_cipher_job message = {
      .cipher = stream->cipher, .encrypting = stream->encrypting, .tag = output};
  if (!stream->encrypting && stream->cipher->aead) {
    if (stream->held_size < stream->tag_size) {
      return ol_fail(run->failure, OL_AUTHENTICATION, "%s", "");
    }
    message.tag = (ol_bytes){stream->held, stream->tag_size};
  }
  return ol_cipher_finish(&message, stream->context, run);
}

static void cipher_stream_release(ol_stream *base) {
  cipher_stream *stream = (cipher_stream *)base;
  EVP_CIPHER_CTX_free(stream->context);
  OPENSSL_cleanse(stream->held, sizeof(stream->held));
}

static const ol_stream_kind cipher_kind = {
    .update = cipher_stream_update,
    .finish = cipher_stream_finish,
    .release = cipher_stream_release,
    .writes = true,
    .cost = 300,
};

ol_status ol_stream_new_cipher(const ol_cipher_job *message, size_t tag_size, ol_stream **stream,
                               ol_run *run) {
  bool aead = message->cipher->aead;
  cipher_stream *made = calloc(1, sizeof(*made));
  if (made == NULL) return ol_fail(run->failure, OL_OUT_OF_MEMORY, "%s", "");
  made->base.kind = &cipher_kind;
  made->base.finish_size = message->encrypting && aead ? tag_size : 0;
  made->cipher = message->cipher;
  made->encrypting = message->encrypting;
  made->tag_size = aead ? tag_size : 0;
  if (!message->encrypting && message->tag.size > 0) {
    made->tag_given = true;
    made->held_size = made->tag_size;
    memcpy(made->held, message->tag.data, made->tag_size);
  }
  made->context = EVP_CIPHER_CTX_new();
  ol_status status = made->context == NULL ? ol_fail(run->failure, OL_OUT_OF_MEMORY, "%s", "")
                                           : ol_cipher_begin(message, made->context, run);
  if (status != OL_OK) {
    ol_stream_free(&made->base);
    made = NULL;
  }
  *stream = made == NULL ? NULL : &made->base;
  return status;
}

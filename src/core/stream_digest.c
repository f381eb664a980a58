#include <openssl/crypto.h>
#include <stdlib.h>

#include "core/stream.h"

/* OpenSSL wipes a digest's context when it is freed. */
typedef struct {
  ol_stream base;
  const ol_digest *digest;
  EVP_MD_CTX *context; /* has taken the data so far; behind HMAC's inner block */
  EVP_MD_CTX *outer;   /* HMAC: has taken the outer block */
} digest_stream;

static ol_status digest_stream_update(ol_stream *base, ol_bytes piece, uint8_t *output,
                                      ol_run *run) {
  digest_stream *stream = (digest_stream *)base;
  (void)output;
  return ol_digest_update(stream->context, piece, run);
}

static ol_status digest_stream_finish(ol_stream *base, ol_bytes output, ol_run *run) {
  digest_stream *stream = (digest_stream *)base;
  return ol_digest_finish(stream->digest, stream->context, output.data, output.size, run);
}

static ol_status hmac_stream_finish(ol_stream *base, ol_bytes output, ol_run *run) {
  digest_stream *stream = (digest_stream *)base;
  const ol_digest *digest = stream->digest;
  uint8_t inner[OL_DIGEST_MAX];
  ol_status status = ol_digest_finish(digest, stream->context, inner, digest->size, run);
  if (status == OL_OK) {
    status = ol_digest_update(stream->outer, (ol_bytes){inner, digest->size}, run);
  }
  if (status == OL_OK) {
    status = ol_digest_finish(digest, stream->outer, output.data, output.size, run);
  }
  OPENSSL_cleanse(inner, sizeof(inner));
  return status;
}

static void digest_stream_release(ol_stream *base) {
  digest_stream *stream = (digest_stream *)base;
  EVP_MD_CTX_free(stream->context);
  EVP_MD_CTX_free(stream->outer);
}

static const ol_stream_kind digest_kind = {
    .update = digest_stream_update,
    .finish = digest_stream_finish,
    .release = digest_stream_release,
    .cost = 700,
};

static const ol_stream_kind hmac_kind = {
    .update = digest_stream_update,
    .finish = hmac_stream_finish,
    .release = digest_stream_release,
    .cost = 700,
};

static ol_status stream_new(const ol_stream_kind *kind, const ol_digest *digest, size_t size,
                            digest_stream **stream, ol_run *run) {
  *stream = calloc(1, sizeof(**stream));
  if (*stream == NULL) return ol_fail(run->failure, OL_OUT_OF_MEMORY, "%s", "");
  (*stream)->base = (ol_stream){.kind = kind, .finish_size = size};
  (*stream)->digest = digest;
  return OL_OK;
}

/* A context that has taken so much. */
static ol_status context_new(const ol_digest *digest, ol_bytes first, EVP_MD_CTX **context,
                             ol_run *run) {
  *context = EVP_MD_CTX_new();
  if (*context == NULL) return ol_fail(run->failure, OL_OUT_OF_MEMORY, "%s", "");
  if (!EVP_DigestInit_ex2(*context, digest->md, NULL)) return ol_fail_openssl(run->failure);
  return ol_digest_update(*context, first, run);
}

/* Gives the stream away, or frees it. */
static ol_status stream_give(digest_stream *made, ol_stream **stream, ol_status status) {
  *stream = status == OL_OK ? &made->base : NULL;
  if (status != OL_OK) ol_stream_free(&made->base);
  return status;
}

ol_status ol_stream_new_digest(const ol_digest *digest, size_t size, ol_stream **stream,
                               ol_run *run) {
  digest_stream *made;
  ol_status status = stream_new(&digest_kind, digest, size, &made, run);
  if (status != OL_OK) return status;
  status = context_new(digest, (ol_bytes){NULL, 0}, &made->context, run);
  return stream_give(made, stream, status);
}

ol_status ol_stream_new_hmac(const ol_digest *digest, ol_bytes key, ol_stream **stream,
                             ol_run *run) {
  uint8_t block[OL_BLOCK_MAX];
  ol_bytes bytes = {block, digest->block_size};
  digest_stream *made;
  ol_status status = stream_new(&hmac_kind, digest, digest->size, &made, run);
  if (status != OL_OK) return status;
  status = ol_hmac_block(digest, key, block, run);
  if (status != OL_OK) goto done;
  ol_hmac_mask(digest, block, OL_HMAC_INNER);
  status = context_new(digest, bytes, &made->context, run);
  if (status != OL_OK) goto done;
  ol_hmac_mask(digest, block, OL_HMAC_INNER ^ OL_HMAC_OUTER);
  status = context_new(digest, bytes, &made->outer, run);
done:
  OPENSSL_cleanse(block, sizeof(block));
  return stream_give(made, stream, status);
}

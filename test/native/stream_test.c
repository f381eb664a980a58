/*
 * Streams without Node: every cut of a message gives what the whole gives, and nothing is taken
 * once a stream has ended, failed or been cancelled.
 */
#include "core/stream.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { SIZE_MAX_BYTES = 300, TAG = 16 };

static uint8_t data[SIZE_MAX_BYTES + TAG], key[32], iv[16], aad[21];

static void fill(uint8_t *bytes, size_t size, unsigned seed) {
  for (size_t i = 0; i < size; i++)
    bytes[i] = (uint8_t)(i * 31 + seed);
}

/* What a test passes to everything that runs. */
typedef struct {
  ol_contexts contexts;
  ol_flag cancel;
  ol_failure failure;
  ol_run run;
} world;

static void world_begin(world *self) {
  self->run.contexts = &self->contexts;
  self->run.cancel = &self->cancel;
  self->run.failure = &self->failure;
  self->run.written = 0;
}

/* A copy of exactly its size, so that a byte beyond it is noticed. */
static uint8_t *exact(const uint8_t *bytes, size_t size) {
  uint8_t *copy = malloc(size == 0 ? 1 : size);
  if (copy != NULL && size > 0) memcpy(copy, bytes, size);
  return copy;
}

/* Feeds a message in pieces of `step` bytes, an empty one first; frees the stream. Returns the
 * first status that is not OL_OK; *written is the size of the output. */
static ol_status feed(world *self, ol_stream *stream, const uint8_t *input, size_t size,
                      size_t step, uint8_t *output, size_t *written) {
  world_begin(self);
  ol_status status = ol_stream_update(stream, (ol_bytes){NULL, 0}, output, &self->run);
  for (size_t at = 0; status == OL_OK && at < size; at += step) {
    size_t count = size - at < step ? size - at : step;
    uint8_t *piece = exact(input + at, count);
    uint64_t before = self->run.written;
    status = ol_stream_update(stream, (ol_bytes){piece, count}, output + before, &self->run);
    CHECK(self->run.written - before <= count);
    free(piece);
  }
  if (status == OL_OK) {
    ol_bytes end = {output + self->run.written, stream->finish_size};
    status = ol_stream_finish(stream, end, &self->run);
  }
  *written = (size_t)self->run.written;
  CHECK(ol_stream_update(stream, (ol_bytes){key, 1}, output, &self->run) == OL_ARG_VALUE);
  CHECK(ol_stream_finish(stream, (ol_bytes){output, TAG}, &self->run) == OL_ARG_VALUE);
  ol_stream_free(stream);
  return status;
}

static void test_digests(world *self) {
  static const char *const names[] = {"SHA2-256", "SHA2-512", "MD5", "SHA3-256", "BLAKE2S-256"};
  for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
    const ol_digest *digest = ol_digest_find(names[n]);
    if (!CHECK_MESSAGE(digest != NULL, "%s", names[n])) continue;
    for (size_t size = 0; size <= SIZE_MAX_BYTES; size += 37) {
      uint8_t whole[OL_DIGEST_MAX], keyed[OL_DIGEST_MAX], cut[OL_DIGEST_MAX];
      world_begin(self);
      CHECK(ol_digest_run(digest, (ol_bytes){data, size}, whole, digest->size, &self->run) ==
            OL_OK);
      CHECK(ol_hmac_run(digest, (ol_bytes){key, sizeof(key)}, (ol_bytes){data, size}, keyed,
                        &self->run) == OL_OK);
      for (size_t step = 1; step <= 65; step += 16) {
        ol_stream *stream;
        size_t written;
        CHECK(ol_stream_new_digest(digest, digest->size, &stream, &self->run) == OL_OK);
        CHECK(feed(self, stream, data, size, step, cut, &written) == OL_OK);
        CHECK(written == digest->size && memcmp(cut, whole, written) == 0);
        CHECK(ol_stream_new_hmac(digest, (ol_bytes){key, sizeof(key)}, &stream, &self->run) ==
              OL_OK);
        CHECK(feed(self, stream, data, size, step, cut, &written) == OL_OK);
        CHECK(written == digest->size && memcmp(cut, keyed, written) == 0);
      }
    }
  }
}

static ol_cipher_job message_of(const ol_cipher *cipher, bool encrypting) {
  ol_cipher_job message = {.cipher = cipher,
                           .encrypting = encrypting,
                           .key = {key, cipher->key_size},
                           .iv = {iv, cipher->iv_size}};
  if (cipher->aead) message.aad = (ol_bytes){aad, sizeof(aad)};
  return message;
}

/* One message, cut in every way, back and forth; a tag that is wrong in its first and last byte. */
static void test_message(world *self, const ol_cipher *cipher, size_t size) {
  uint8_t sealed[SIZE_MAX_BYTES + TAG], cut[SIZE_MAX_BYTES + 2 * TAG];
  size_t tag = cipher->aead ? TAG : 0, written;
  ol_cipher_job whole = message_of(cipher, true), back = message_of(cipher, false);
  ol_stream *stream;
  whole.input = data;
  whole.output = sealed;
  whole.size = size;
  whole.tag = (ol_bytes){sealed + size, tag};
  world_begin(self);
  CHECK(ol_cipher_run(&whole, &self->run) == OL_OK);
  for (size_t step = 1; step <= 65; step += 4) {
    CHECK(ol_stream_new_cipher(&whole, tag, &stream, &self->run) == OL_OK);
    CHECK(feed(self, stream, data, size, step, cut, &written) == OL_OK);
    CHECK(written == size + tag && memcmp(cut, sealed, written) == 0);

    CHECK(ol_stream_new_cipher(&back, tag, &stream, &self->run) == OL_OK);
    CHECK(feed(self, stream, sealed, size + tag, step, cut, &written) == OL_OK);
    CHECK(written == size && memcmp(cut, data, written) == 0);

    back.tag = whole.tag;
    CHECK(ol_stream_new_cipher(&back, tag, &stream, &self->run) == OL_OK);
    CHECK(feed(self, stream, sealed, size, step, cut, &written) == OL_OK);
    CHECK(written == size && memcmp(cut, data, written) == 0);
    back.tag.size = 0;

    for (size_t wrong = 0; wrong < tag; wrong += tag - 1) {
      sealed[size + wrong] ^= 1;
      CHECK(ol_stream_new_cipher(&back, tag, &stream, &self->run) == OL_OK);
      ol_status status = feed(self, stream, sealed, size + tag, step, cut, &written);
      CHECK(status == OL_AUTHENTICATION && written == size);
      sealed[size + wrong] ^= 1;
    }
  }
}

static void test_ciphers(world *self) {
  static const char *const names[] = {"AES-128-GCM", "AES-256-GCM", "AES-256-CTR", "ChaCha20",
                                      "ChaCha20-Poly1305"};
  for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
    const ol_cipher *cipher = ol_cipher_find(names[n]);
    if (!CHECK_MESSAGE(cipher != NULL, "%s", names[n])) continue;
    for (size_t size = 0; size <= SIZE_MAX_BYTES; size += 23)
      test_message(self, cipher, size);
  }
}

/* Fewer bytes than a tag has are no message. */
static void test_short(world *self) {
  uint8_t output[TAG];
  const ol_cipher *cipher = ol_cipher_find("AES-256-GCM");
  ol_cipher_job back = message_of(cipher, false);
  for (size_t size = 0; size < TAG; size++) {
    ol_stream *stream;
    size_t written;
    CHECK(ol_stream_new_cipher(&back, TAG, &stream, &self->run) == OL_OK);
    CHECK(feed(self, stream, data, size, 3, output, &written) == OL_AUTHENTICATION);
    CHECK(written == 0);
  }
}

static void test_cancel(world *self) {
  uint8_t output[SIZE_MAX_BYTES + TAG];
  size_t written;
  ol_stream *stream;
  ol_cipher_job message = message_of(ol_cipher_find("AES-256-GCM"), true);
  CHECK(ol_stream_new_cipher(&message, TAG, &stream, &self->run) == OL_OK);
  ol_flag_set(&self->cancel);
  CHECK(feed(self, stream, data, 100, 10, output, &written) == OL_CANCELLED && written == 0);
  atomic_store(&self->cancel, 0);
  ol_stream_free(NULL);
}

int main(void) {
  static world self;
  fill(data, sizeof(data), 1);
  fill(key, sizeof(key), 2);
  fill(iv, sizeof(iv), 3);
  fill(aad, sizeof(aad), 4);
  world_begin(&self);
  test_digests(&self);
  test_ciphers(&self);
  test_short(&self);
  test_cancel(&self);
  ol_contexts_dispose(&self.contexts);
  return check_summary();
}

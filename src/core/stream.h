/* Data that comes in pieces: the digest, HMAC or cipher between two of them.
 *
 * A stream is used by one thread at a time, whichever. One that has finished or failed takes
 * nothing more. Freeing it wipes its key and all that it knows of the data. */
#ifndef OL_CORE_STREAM_H
#define OL_CORE_STREAM_H

#include "core/cipher.h"
#include "core/digest.h"

typedef struct ol_stream ol_stream;

/* What differs by kind of stream. */
typedef struct {
  ol_status (*update)(ol_stream *stream, ol_bytes piece, uint8_t *output, ol_run *run);
  ol_status (*finish)(ol_stream *stream, ol_bytes output, ol_run *run);
  void (*release)(ol_stream *stream); /* wipes and frees what the stream owns */
  bool writes;                        /* update writes as much as it takes */
  uint32_t cost;                      /* nanoseconds for a KiB, roughly */
} ol_stream_kind;

struct ol_stream {
  const ol_stream_kind *kind;
  size_t finish_size; /* bytes that finish writes: a digest's, or those of a tag that is appended */
  bool over;
};

/* On success *stream is the caller's to free. Keys and IVs have the right sizes; nothing is
 * borrowed. */
ol_status ol_stream_new_digest(const ol_digest *digest, size_t size, ol_stream **stream,
                               ol_run *run);
ol_status ol_stream_new_hmac(const ol_digest *digest, ol_bytes key, ol_stream **stream,
                             ol_run *run);

/* Takes cipher, direction, key, IV and aad from the message. An AEAD's tag of tag_size bytes is
 * appended to the ciphertext; or, when decrypting and message->tag is not empty, it is that. */
ol_status ol_stream_new_cipher(const ol_cipher_job *message, size_t tag_size, ol_stream **stream,
                               ol_run *run);

/* Takes a piece. A cipher writes at most piece.size bytes to output, which shares none with the
 * piece, and adds their number to run->written; a digest writes nothing. When decrypting, what is
 * written is not authenticated yet. After a failure the stream is over, and wiping what is in
 * output is the caller's. */
ol_status ol_stream_update(ol_stream *stream, ol_bytes piece, uint8_t *output, ol_run *run);

/* Ends the data and writes finish_size bytes to output. OL_AUTHENTICATION: the tag does not
 * match. */
ol_status ol_stream_finish(ol_stream *stream, ol_bytes output, ol_run *run);

void ol_stream_free(ol_stream *stream);

#endif

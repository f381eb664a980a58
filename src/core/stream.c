#include "core/stream.h"

#include <stdlib.h>

static ol_status stream_over(ol_run *run) {
  return ol_fail(run->failure, OL_ARG_VALUE, "The stream has ended");
}

ol_status ol_stream_update(ol_stream *stream, ol_bytes piece, uint8_t *output, ol_run *run) {
  if (stream->over) return stream_over(run);
  ol_status status = stream->kind->update(stream, piece, output, run);
  if (status != OL_OK) stream->over = true;
  return status;
}

ol_status ol_stream_finish(ol_stream *stream, ol_bytes output, ol_run *run) {
  if (stream->over) return stream_over(run);
  stream->over = true;
  if (output.size < stream->finish_size) {
    return ol_fail(run->failure, OL_RANGE, "The target needs %zu bytes", stream->finish_size);
  }
  output.size = stream->finish_size;
  ol_status status = stream->kind->finish(stream, output, run);
  if (status == OL_OK) run->written += output.size;
  return status;
}

void ol_stream_free(ol_stream *stream) {
  if (stream == NULL) return;
  stream->kind->release(stream);
  free(stream);
}

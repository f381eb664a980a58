#include "fast_source.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool ol_source_read(ol_source *source, uint64_t at, size_t length, uint8_t *out) {
  if (at > source->size || length > source->size - at) return false;
  if (source->memory) {
    memcpy(out, source->memory + at, length);
    return true;
  }
  while (length > 0) {
    ssize_t n = pread(source->fd, out, length < 1 << 20 ? length : 1 << 20, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      source->error = n < 0 ? errno : 0;
      return false;
    }
    out += n;
    at += (uint64_t)n;
    length -= (size_t)n;
  }
  return true;
}

void ol_source_open_memory(ol_source *source, const uint8_t *bytes, size_t size) {
  memset(source, 0, sizeof *source);
  source->memory = bytes;
  source->fd = -1;
  source->size = size;
}

bool ol_source_open_fd(ol_source *source, int fd, uint64_t size) {
  memset(source, 0, sizeof *source);
  source->fd = fd;
  source->size = size;
  source->capacity = size <= OL_SOURCE_WHOLE_MAX ? (size_t)size + 1 : OL_SOURCE_WINDOW;
  source->window = malloc(source->capacity);
  if (!source->window) return false;
  if (size > OL_SOURCE_WHOLE_MAX) return true;
  if (!ol_source_read(source, 0, (size_t)size, source->window)) return false;
  source->memory = source->window;
  return true;
}

bool ol_source_view(ol_source *source, uint64_t at, size_t length, const uint8_t **bytes,
                    size_t *available) {
  size_t skip;
  if (at > source->size) return false;
  if (length > source->size - at) length = (size_t)(source->size - at);
  if (source->memory) {
    *bytes = source->memory + at;
    *available = (size_t)(source->size - at);
    return true;
  }
  if (at < source->window_at || at - source->window_at > source->window_length ||
      source->window_length - (at - source->window_at) < length) {
    size_t fill = length < OL_SOURCE_WINDOW ? OL_SOURCE_WINDOW : length;
    if (fill > source->size - at) fill = (size_t)(source->size - at);
    if (fill > source->capacity) {
      uint8_t *window = malloc(fill);
      if (!window) return false;
      free(source->window);
      source->window = window;
      source->capacity = fill;
    }
    source->window_length = 0;
    if (!ol_source_read(source, at, fill, source->window)) return false;
    source->window_at = at;
    source->window_length = fill;
  }
  skip = (size_t)(at - source->window_at);
  *bytes = source->window + skip;
  *available = source->window_length - skip;
  return true;
}

void ol_source_close(ol_source *source) {
  free(source->window);
  source->window = NULL;
  source->memory = NULL;
}

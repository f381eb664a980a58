/**
 * Where a document's objects are: cross-reference tables, streams and hybrids of both, along the
 * whole /Prev chain (ISO 32000-2, 7.5.4 to 7.5.8). Strict: anything irregular is refused, so that
 * what is accepted means the same to every reader.
 */
#ifndef OL_PDF_XREF_H
#define OL_PDF_XREF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fast_inflate.h"
#include "fast_source.h"
#include "objects.h"

enum { OL_XREF_SECTIONS_MAX = 512, OL_XREF_OBJECTS_MAX = 8388607 };

typedef enum {
  OL_XREF_UNSEEN, /* No section mentions the number. */
  OL_XREF_FREE,
  OL_XREF_PLAIN, /* where: offset in the file; extra: generation. */
  OL_XREF_PACKED /* where: number of the object stream; extra: index within it. */
} ol_xref_type;

typedef struct {
  uint64_t where;
  uint32_t extra;
  uint8_t type;
} ol_xref_entry;

typedef struct {
  ol_xref_entry *entries; /* By object number. */
  size_t size;            /* As the trailer says, one more than the highest number. */
  size_t capacity;
  bool packed;          /* Some object is in an object stream. */
  uint8_t *trailer;     /* The newest trailer dictionary's bytes, owned. */
  ol_walk trailer_walk; /* What is in it. */
  ol_string_list trailer_strings;
} ol_xref;

/** Reads all sections. False if anything is irregular (or memory is out). Free in either case. */
bool ol_xref_read(ol_xref *xref, ol_source *source);

void ol_xref_free(ol_xref *xref);

/**
 * Reads `number generation obj` at `at`, exactly there; *body is the offset behind it. False if
 * anything else is there.
 */
bool ol_object_header_read(ol_source *source, uint64_t at, int64_t *number, int64_t *generation,
                           uint64_t *body);

/**
 * Walks the body at `at`, which ends before `limit` at the latest. *bytes stays valid until the
 * source's next view. Bodies over OL_BODY_MAX are refused.
 */
enum { OL_BODY_MAX = 16 << 20 };
bool ol_body_walk(ol_source *source, uint64_t at, uint64_t limit, const ol_walk_options *options,
                  ol_walk *walk, const uint8_t **bytes);

#endif

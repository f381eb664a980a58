/**
 * What a rewrite will do, decided in full before it begins: which objects are copied, what changes
 * within them, and where each lands. Whatever cannot be decided for certain makes planning fail,
 * and nothing has been written yet.
 *
 * A plan belongs to one thread. It keeps about 80 bytes an object and 20 a change, no contents.
 */
#ifndef OL_PDF_FAST_PLAN_H
#define OL_PDF_FAST_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fast_crypt.h"
#include "fast_source.h"
#include "recrypt.h"
#include "xref.h"

/* A change within an object's body, positions relative to the object's start. */
typedef struct {
  uint32_t at, end;
  uint32_t length; /* Text: its bytes. String: its bytes when decoded. */
  uint32_t plain;  /* Text: where it begins in `texts`. String: its bytes when decrypted. */
  bool string;
} ol_edit;

typedef struct {
  ol_edit *items;
  size_t count, capacity;
} ol_edit_list;

typedef struct {
  uint8_t *bytes;
  size_t length, capacity;
} ol_text;

/* An object is its body (to endobj, or to the line's end behind stream), its data and its tail. */
typedef struct {
  uint64_t at;
  uint64_t out_at;
  uint64_t data_length;
  uint64_t plain_length; /* Of the data, when decrypted. */
  uint64_t first_edit;
  uint32_t edit_count;
  uint32_t number;
  uint32_t body_length;
  uint32_t body_out; /* Length of the body when rewritten. */
  uint32_t tail_length;
  uint16_t generation;
  uint8_t read_strings, read_data, write_strings, write_data; /* ol_crypt_method */
  bool dropped;
} ol_planned;

typedef struct {
  uint32_t number;
  int64_t value;
} ol_packed_integer;

typedef struct {
  const ol_pdf_options *options;
  ol_source source;
  ol_xref xref;
  ol_crypt read, write;
  bool read_encrypted;
  uint32_t encrypt_number; /* The source's encryption dictionary, if it is an object; else 0. */
  ol_crypt_method write_method;

  ol_planned *objects; /* In file order. */
  size_t count;
  ol_edit_list edits;
  ol_text texts;
  ol_string_list strings;      /* Scratch. */
  ol_packed_integer *integers; /* Objects in object streams that are integers, by number. */
  size_t integer_count, integer_capacity;
  ol_text catalog; /* The catalog as an object of its own, where it was in an object stream. */
  ol_planned catalog_object;
  bool catalog_seen;
  ol_reference *attachments; /* Streams that /EF names, where attachments are encrypted apart. */
  size_t attachment_count;
  bool attachments_known;
  uint32_t highest_reference;       /* In any object that is kept, or the trailer. */
  uint64_t hints[2];                /* Where hint streams of a linearized file begin; 0 for none. */
  ol_inflate_buffer decoded, clear; /* Scratch for object streams. */
  EVP_CIPHER *aes128, *aes256;
  EVP_CIPHER_CTX *cipher;

  unsigned version; /* Of the output: 10 to 17 or 20. */
  bool extension;   /* The catalog must name Adobe's extension level 8. */
  bool signature;   /* The document is signed. */
  uint8_t *id;      /* First part of /ID, owned. */
  size_t id_length;

  ol_text head; /* Before the objects. */
  ol_text tail; /* Behind them: encryption dictionary, cross-reference, trailer. */
  uint64_t tail_at;
  uint64_t total;
} ol_plan;

/** True if planned. False to step aside, and when cancelled. Free in either case. */
bool ol_plan_make(ol_plan *plan, const ol_pdf_options *options);

void ol_plan_free(ol_plan *plan);

/** Plans one object of the list; `limit` is where the next one begins. For fast_plan*.c. */
bool ol_plan_object(ol_plan *plan, ol_planned *object, uint64_t limit);

/** An object's changes are complete: sums up how long its body becomes. */
bool ol_plan_measure(ol_plan *plan, ol_planned *object);

/** Checks object streams and what is in them; notes integers and the catalog. */
bool ol_plan_packed(ol_plan *plan);

/** Chooses places, and writes the texts before and behind the objects. */
bool ol_plan_layout(ol_plan *plan);

/** Where attachments are encrypted apart from other streams, finds which streams those are. */
bool ol_plan_attachments(ol_plan *plan);

/** The catalog's own conditions and changes; `start` is the object's first byte. */
bool ol_plan_catalog(ol_plan *plan, const uint8_t *start, uint32_t body, const ol_walk *walk,
                     size_t first_edit);

/** A stream's crypt filter: the method it asks for and the removal of the filter. */
bool ol_plan_filter(ol_plan *plan, const uint8_t *body, uint32_t base, const ol_walk *walk,
                    size_t first_edit, ol_crypt_method *method, bool *given);

/** The value of an object that must be an integer. */
bool ol_plan_integer(ol_plan *plan, int64_t number, uint16_t generation, int64_t *value);

/** Decrypts whole data (IV included for AES) into `out`, of capacity `length`. */
bool ol_plan_decrypt(ol_plan *plan, ol_crypt_method method, uint32_t number, uint16_t generation,
                     const uint8_t *data, size_t length, uint8_t *out, size_t *out_length);

/** How long data or a string will be when decrypted; `last` are its last 32 bytes at most. */
bool ol_plan_plain_length(ol_plan *plan, ol_crypt_method method, const uint8_t *key,
                          uint64_t length, const uint8_t *last, uint64_t *plain);

/** Places a change among those from `first` on, in order; those of strings within it vanish. */
bool ol_edit_add(ol_plan *plan, size_t first, ol_edit edit);
bool ol_edit_add_text(ol_plan *plan, size_t first, uint32_t at, uint32_t end, const char *text);

bool ol_text_add(ol_text *text, const void *bytes, size_t length);
bool ol_text_print(ol_text *text, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/** Notes what a walk found that concerns the document as a whole. */
static inline void ol_plan_note(ol_plan *plan, const ol_walk *walk) {
  plan->signature |= walk->signature;
  if (walk->highest_reference > plan->highest_reference) {
    plan->highest_reference = walk->highest_reference;
  }
}

/** Length of data of `plain` bytes when enciphered. */
static inline uint64_t ol_crypt_length(unsigned method, uint64_t plain) {
  return method == OL_CRYPT_NONE || method == OL_CRYPT_RC4 ? plain : 32 + plain / 16 * 16;
}

#endif

/*
 * Tokens of PDF (ISO 32000-2, 7.2 and 7.3), strictly: whatever the standard does not allow, or
 * libqpdf would warn about, is OL_TOKEN_BAD, never repaired.
 *
 * The lexer reads a byte range that it does not own and never writes. It allocates nothing.
 */
#ifndef OL_PDF_LEXER_H
#define OL_PDF_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  OL_TOKEN_BAD,
  OL_TOKEN_CUT, /* The range ended within (or right behind) a token, or before one. */
  OL_TOKEN_INTEGER,
  OL_TOKEN_REAL,
  OL_TOKEN_NAME,
  OL_TOKEN_STRING,
  OL_TOKEN_DICT_OPEN,
  OL_TOKEN_DICT_CLOSE,
  OL_TOKEN_ARRAY_OPEN,
  OL_TOKEN_ARRAY_CLOSE,
  OL_TOKEN_WORD /* true, false, null, R, obj, endobj, stream, endstream, xref, trailer… */
} ol_token_type;

typedef struct {
  ol_token_type type;
  const uint8_t *start;
  const uint8_t *end;
  int64_t integer;       /* INTEGER: the value, of at most 18 digits. */
  size_t decoded_length; /* STRING: bytes that ol_string_decode yields. */
  bool escaped;          /* NAME: holds #xx. */
} ol_token;

/* Bits of ol_char_class. A byte with none of them is a regular character. */
enum { OL_CHAR_SPACE = 1, OL_CHAR_DELIMITER = 2, OL_CHAR_DIGIT = 4, OL_CHAR_HEX = 8 };
extern const uint8_t ol_char_class[256];

/* Reads the token at or after `p` (white space and comments are skipped) into `token`. */
void ol_token_read(const uint8_t *p, const uint8_t *end, ol_token *token);

/* The first byte at or after `p` that is neither white space nor in a comment; `end` if none. */
const uint8_t *ol_space_skip(const uint8_t *p, const uint8_t *end);

/* Whether a word token is exactly this text. */
bool ol_token_is(const ol_token *token, const char *text);

/*
 * Whether a NAME token, slash left out and #xx decoded, is `name`. `name` is given without
 * its slash.
 */
bool ol_name_is(const ol_token *token, const char *name);

/*
 * Decodes the string at [start, end), delimiters included, that ol_token_read accepted. Writes
 * exactly its decoded_length bytes to `out` and returns their number.
 */
size_t ol_string_decode(const uint8_t *start, const uint8_t *end, uint8_t *out);

#endif

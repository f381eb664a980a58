#include "lexer.h"

#include <string.h>

enum { S = OL_CHAR_SPACE, D = OL_CHAR_DELIMITER, N = OL_CHAR_DIGIT | OL_CHAR_HEX, H = OL_CHAR_HEX };

const uint8_t ol_char_class[256] = {
    [0] = S,   ['\t'] = S, ['\n'] = S, ['\f'] = S, ['\r'] = S, [' '] = S, ['('] = D, [')'] = D,
    ['<'] = D, ['>'] = D,  ['['] = D,  [']'] = D,  ['{'] = D,  ['}'] = D, ['/'] = D, ['%'] = D,
    ['0'] = N, ['1'] = N,  ['2'] = N,  ['3'] = N,  ['4'] = N,  ['5'] = N, ['6'] = N, ['7'] = N,
    ['8'] = N, ['9'] = N,  ['a'] = H,  ['b'] = H,  ['c'] = H,  ['d'] = H, ['e'] = H, ['f'] = H,
    ['A'] = H, ['B'] = H,  ['C'] = H,  ['D'] = H,  ['E'] = H,  ['F'] = H};

/* Bytes that end a run of ordinary ones within a literal string. */
static const uint8_t literal_stop[256] = {['('] = 1, [')'] = 1, ['\\'] = 1, ['\r'] = 1};

static bool is_regular(uint8_t c) {
  return !(ol_char_class[c] & (S | D));
}

static unsigned hex_value(uint8_t c) {
  return c <= 0x39 ? c - 0x30u : (c | 0x20u) - 0x61u + 10u;
}

const uint8_t *ol_space_skip(const uint8_t *p, const uint8_t *end) {
  while (p < end) {
    if (ol_char_class[*p] & S) {
      p++;
      continue;
    }
    if (*p != '%') break;
    while (p < end && *p != '\n' && *p != '\r')
      p++;
  }
  return p;
}

static ol_token_type scan_number(const uint8_t *p, const uint8_t *end, ol_token *token) {
  bool negative = *p == '-', real = false;
  uint64_t value = 0;
  unsigned digits = 0;
  if (*p == '+' || *p == '-') p++;
  for (; p < end; p++) {
    if (ol_char_class[*p] & OL_CHAR_DIGIT) {
      if (++digits <= 18) value = value * 10 + (*p - '0');
    } else if (*p == '.' && !real) {
      real = true;
    } else {
      break;
    }
  }
  token->end = p;
  if (p == end) return OL_TOKEN_CUT;
  if (is_regular(*p) || digits == 0 || (!real && digits > 18)) return OL_TOKEN_BAD;
  token->integer = negative ? -(int64_t)value : (int64_t)value;
  return real ? OL_TOKEN_REAL : OL_TOKEN_INTEGER;
}

static ol_token_type scan_name(const uint8_t *p, const uint8_t *end, ol_token *token) {
  token->escaped = false;
  for (p++; p < end && is_regular(*p); p++) {
    if (*p != '#') continue;
    token->escaped = true;
    if (end - p < 3) return OL_TOKEN_CUT;
    if (!(ol_char_class[p[1]] & ol_char_class[p[2]] & OL_CHAR_HEX)) return OL_TOKEN_BAD;
    if (p[1] == '0' && p[2] == '0') return OL_TOKEN_BAD;
  }
  token->end = p;
  return p == end ? OL_TOKEN_CUT : OL_TOKEN_NAME;
}

/* Where an escape ends that starts at the backslash `p`, and how many bytes it stands for. */
static const uint8_t *skip_escape(const uint8_t *p, const uint8_t *end, size_t *length) {
  if (++p == end) return end;
  *length = 1;
  if (*p == '\n' || *p == '\r') {
    *length = 0;
    if (*p++ == '\r' && p < end && *p == '\n') p++;
    return p;
  }
  if (*p < '0' || *p > '7') return p + 1;
  for (int i = 0; i < 3 && p < end && *p >= '0' && *p <= '7'; i++)
    p++;
  return p;
}

static ol_token_type scan_literal(const uint8_t *p, const uint8_t *end, ol_token *token) {
  size_t length = 0, depth = 1, part;
  for (p++;;) {
    const uint8_t *run = p;
    while (p < end && !literal_stop[*p])
      p++;
    length += (size_t)(p - run);
    if (p == end) return OL_TOKEN_CUT;
    if (*p == '\\') {
      part = 0;
      p = skip_escape(p, end, &part);
      length += part;
      if (p == end) return OL_TOKEN_CUT;
    } else if (*p == '\r') {
      if (++p < end && *p == '\n') p++;
      length++;
    } else if (*p++ == '(') {
      depth++;
      length++;
    } else {
      if (--depth == 0) break;
      length++;
    }
  }
  token->end = p;
  token->decoded_length = length;
  return OL_TOKEN_STRING;
}

static ol_token_type scan_hex(const uint8_t *p, const uint8_t *end, ol_token *token) {
  size_t digits = 0;
  for (p++; p < end && *p != '>'; p++) {
    if (ol_char_class[*p] & OL_CHAR_HEX) {
      digits++;
    } else if (!(ol_char_class[*p] & S)) {
      return OL_TOKEN_BAD;
    }
  }
  if (p == end) return OL_TOKEN_CUT;
  token->end = p + 1;
  token->decoded_length = (digits + 1) / 2;
  return OL_TOKEN_STRING;
}

static ol_token_type scan_delimiter(const uint8_t *p, const uint8_t *end, ol_token *token) {
  switch (*p) {
    case '/':
      return scan_name(p, end, token);
    case '(':
      return scan_literal(p, end, token);
    case '[':
      token->end = p + 1;
      return OL_TOKEN_ARRAY_OPEN;
    case ']':
      token->end = p + 1;
      return OL_TOKEN_ARRAY_CLOSE;
    case '<':
      if (end - p < 2) return OL_TOKEN_CUT;
      if (p[1] != '<') return scan_hex(p, end, token);
      token->end = p + 2;
      return OL_TOKEN_DICT_OPEN;
    case '>':
      if (end - p < 2) return OL_TOKEN_CUT;
      token->end = p + 2;
      return p[1] == '>' ? OL_TOKEN_DICT_CLOSE : OL_TOKEN_BAD;
    default:
      return OL_TOKEN_BAD;
  }
}

void ol_token_read(const uint8_t *p, const uint8_t *end, ol_token *token) {
  p = ol_space_skip(p, end);
  token->start = token->end = p;
  if (p == end) {
    token->type = OL_TOKEN_CUT;
  } else if (ol_char_class[*p] & D) {
    token->type = scan_delimiter(p, end, token);
  } else if ((ol_char_class[*p] & OL_CHAR_DIGIT) || *p == '-' || *p == '+' || *p == '.') {
    token->type = scan_number(p, end, token);
  } else {
    while (p < end && is_regular(*p))
      p++;
    token->end = p;
    token->type = p == end ? OL_TOKEN_CUT : OL_TOKEN_WORD;
  }
}

bool ol_token_is(const ol_token *token, const char *text) {
  size_t length = strlen(text);
  return token->type == OL_TOKEN_WORD && (size_t)(token->end - token->start) == length &&
         memcmp(token->start, text, length) == 0;
}

bool ol_name_is(const ol_token *token, const char *name) {
  size_t length = strlen(name);
  const uint8_t *p = token->start + 1;
  if (token->type != OL_TOKEN_NAME) return false;
  if (!token->escaped) {
    return (size_t)(token->end - p) == length && memcmp(p, name, length) == 0;
  }
  for (; p < token->end; name++) {
    unsigned c = *p++;
    if (c == '#') {
      c = hex_value(p[0]) << 4 | hex_value(p[1]);
      p += 2;
    }
    if (c != (uint8_t)*name) return false;
  }
  return *name == 0;
}

static size_t decode_hex(const uint8_t *p, const uint8_t *end, uint8_t *out) {
  size_t digits = 0;
  for (p++; p < end - 1; p++) {
    if (!(ol_char_class[*p] & OL_CHAR_HEX)) continue;
    uint8_t value = (uint8_t)hex_value(*p);
    if (digits & 1) {
      out[digits / 2] |= value;
    } else {
      out[digits / 2] = (uint8_t)(value << 4);
    }
    digits++;
  }
  return (digits + 1) / 2;
}

static const uint8_t *decode_escape(const uint8_t *p, const uint8_t *end, uint8_t **out) {
  static const uint8_t plain[256] = {
      ['n'] = '\n', ['r'] = '\r', ['t'] = '\t', ['b'] = '\b', ['f'] = '\f'};
  size_t length = 0;
  const uint8_t *after = skip_escape(p, end, &length);
  if (length == 0) return after;
  if (p[1] >= '0' && p[1] <= '7') {
    unsigned value = 0;
    for (p++; p < after; p++)
      value = value * 8 + (*p - '0');
    *(*out)++ = (uint8_t)value;
  } else {
    *(*out)++ = plain[p[1]] ? plain[p[1]] : p[1];
  }
  return after;
}

size_t ol_string_decode(const uint8_t *start, const uint8_t *end, uint8_t *out) {
  uint8_t *o = out;
  const uint8_t *p = start + 1;
  if (*start == '<') return decode_hex(start, end, out);
  for (end--; p < end;) {
    const uint8_t *run = p;
    while (p < end && !literal_stop[*p])
      p++;
    memcpy(o, run, (size_t)(p - run));
    o += p - run;
    if (p == end) break;
    if (*p == '\\') {
      p = decode_escape(p, end, &o);
    } else if (*p == '\r') {
      if (++p < end && *p == '\n') p++;
      *o++ = '\n';
    } else {
      *o++ = *p++;
    }
  }
  return (size_t)(o - out);
}

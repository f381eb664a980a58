#include "rewrite.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"
#include "lanes_rc4.h"
#include "rc4.h"

enum {
  OUT_ROOM = 6 << 20,
  IN_ROOM = 6 << 20,
  READ_AHEAD = 256 << 10,
  LEAST_PIECE = 64 << 10, /* Smaller pieces of a stream are not worth splitting it for. */
  CRYPT_PIECE = 1 << 20,
  JOBS_MAX = 4096,
  RC4_JOBS_MAX = 1024,
  ARENA_ROOM = 1 << 20,
  IV_POOL = 256 * OL_AES_BLOCK
};

/* An enciphered string in the arena that is to be written as hex digits. */
typedef struct {
  const uint8_t *bytes;
  size_t length;
  uint8_t *out;
} hex_string;

typedef struct {
  ol_plan *plan;
  ol_rewrite_target *target;
  ol_rewrite_status status;

  uint8_t *out; /* The target's memory, or a window of the file that is written when full. */
  size_t out_room, out_used;
  uint64_t out_at; /* Where `out` begins in the document. */

  uint8_t *in; /* A window of the source file; unused where the source is in memory. */
  size_t in_room, in_length;
  uint64_t in_at;
  bool in_stale; /* No job looks at the window any more: it may move. */

  ol_cbc_job *jobs;
  size_t job_count;
  ol_rc4_job *rc4_jobs;
  size_t rc4_count, rc4_dirty;
  uint8_t (*keys)[OL_HANDLER_KEY_MAX];
  size_t key_count, keys_dirty;
  hex_string *hex;
  size_t hex_count;
  uint8_t *arena;
  size_t arena_room, arena_used, arena_dirty;

  ol_cbc_job *chained; /* The job whose last block the stream at hand goes on from. */
  uint8_t chain[OL_AES_BLOCK];
  ol_rc4_job *rc4_chained; /* The same for RC4: the job after which the stream's state counts. */
  ol_rc4 rc4_chain;
  uint8_t ivs[IV_POOL];
  size_t iv_used;
} rewriter;

/* What the object at hand is deciphered and enciphered with; keys are made when first needed. */
typedef struct {
  const ol_planned *object;
  bool has_read_key, has_write_key;
  uint8_t read_key[OL_HANDLER_KEY_MAX];
  size_t read_key_bytes, write_key_bytes;
  const uint8_t *write_key;
} subject;

static bool fail(rewriter *r, ol_rewrite_status status) {
  r->status = status;
  return false;
}

static bool is_cancelled(rewriter *r) {
  return ol_is_set(r->plan->options->cancel) && !fail(r, OL_REWRITE_CANCELLED);
}

static uint8_t *put_hex(uint8_t *out, const uint8_t *bytes, size_t length) {
  static const char digits[] = "0123456789abcdef";
  *out++ = '<';
  for (size_t i = 0; i < length; i++) {
    *out++ = (uint8_t)digits[bytes[i] >> 4];
    *out++ = (uint8_t)digits[bytes[i] & 15];
  }
  *out++ = '>';
  return out;
}

static bool run_rc4_jobs(rewriter *r) {
  if (!ol_rc4_apply_many(r->rc4_jobs, r->rc4_count, r->plan->options->cancel)) {
    return fail(r, OL_REWRITE_CANCELLED);
  }
  if (r->rc4_chained) r->rc4_chain = r->rc4_chained->state;
  r->rc4_chained = NULL;
  if (r->rc4_dirty < r->rc4_count) r->rc4_dirty = r->rc4_count;
  r->rc4_count = 0;
  return true;
}

static bool run_jobs(rewriter *r) {
  size_t key_bytes = r->plan->write_method == OL_CRYPT_AESV3 ? 32 : 16;
  ol_lanes_status status;
  if (r->rc4_count > 0) return run_rc4_jobs(r);
  if (r->job_count == 0) return true;
  status = ol_cbc_encrypt(r->jobs, r->job_count, key_bytes, r->plan->options->cancel);
  if (status == OL_LANES_CANCELLED) return fail(r, OL_REWRITE_CANCELLED);
  if (status != OL_LANES_OK) return fail(r, OL_REWRITE_CRYPTO);
  if (r->chained) memcpy(r->chain, r->chained->iv, OL_AES_BLOCK);
  r->chained = NULL;
  for (size_t i = 0; i < r->hex_count; i++) {
    put_hex(r->hex[i].out, r->hex[i].bytes, r->hex[i].length);
  }
  return true;
}

static bool write_out(rewriter *r) {
  for (size_t at = 0; at < r->out_used;) {
    size_t piece = r->out_used - at < CRYPT_PIECE ? r->out_used - at : CRYPT_PIECE;
    if (is_cancelled(r)) return false;
    if (!ol_target_file_write(r->target->file, r->out + at, piece, &r->target->error)) {
      return fail(r, OL_REWRITE_WRITE_FAILED);
    }
    at += piece;
  }
  return true;
}

/* Finishes all that is pending. Afterwards pointers into the windows and the arena are stale. */
static bool flush(rewriter *r) {
  const ol_pdf_options *options = r->plan->options;
  if (is_cancelled(r) || !run_jobs(r)) return false;
  r->job_count = r->hex_count = r->arena_used = r->key_count = 0;
  r->in_stale = true;
  if (!r->target->memory) {
    if (!write_out(r)) return false;
    r->out_at += r->out_used;
    r->out_used = 0;
  }
  if (options->progress && r->plan->total > 0) {
    double done = (double)(r->out_at + r->out_used) / (double)r->plan->total;
    options->progress(options->progress_context, done < 1 ? done : 1);
  }
  return true;
}

/* Makes room for `length` bytes of output in one piece. */
static bool out_reserve(rewriter *r, size_t length) {
  if (r->out_room - r->out_used >= length) return true;
  if (r->target->memory) return fail(r, OL_REWRITE_CHANGED);
  if (!flush(r)) return false;
  if (r->out_room >= length) return true;
  free(r->out);
  r->out = malloc(length);
  r->out_room = r->out ? length : 0;
  return r->out || fail(r, OL_REWRITE_NO_MEMORY);
}

/* How many bytes from `at` on can be had without a flush. */
static size_t in_available(const rewriter *r, uint64_t at) {
  if (r->plan->source.memory) return SIZE_MAX;
  if (r->in_stale) return r->in_room;
  if (at < r->in_at || at - r->in_at > r->in_length + READ_AHEAD) return 0;
  return at - r->in_at < r->in_room ? r->in_room - (size_t)(at - r->in_at) : 0;
}

/* Moves the window so that it begins at `at`, keeping what was read ahead. */
static bool in_move(rewriter *r, uint64_t at, size_t length) {
  size_t kept = 0;
  if (at >= r->in_at && at - r->in_at < r->in_length) {
    kept = r->in_length - (size_t)(at - r->in_at);
    memmove(r->in, r->in + (at - r->in_at), kept);
  }
  r->in_at = at;
  r->in_length = kept;
  r->in_stale = false;
  if (length <= r->in_room) return true;
  uint8_t *in = realloc(r->in, length);
  if (!in) return fail(r, OL_REWRITE_NO_MEMORY);
  r->in = in;
  r->in_room = length;
  return true;
}

/* The source's bytes [at, at + length). Flushes, where the window must move for them. */
static bool in_view(rewriter *r, uint64_t at, size_t length, const uint8_t **bytes) {
  ol_source *source = &r->plan->source;
  uint64_t end;
  if (at > source->size || length > source->size - at) return fail(r, OL_REWRITE_CHANGED);
  if (source->memory) {
    *bytes = source->memory + at;
    return true;
  }
  if (in_available(r, at) < length && !r->in_stale && !flush(r)) return false;
  if (r->in_stale && !in_move(r, at, length)) return false;
  end = at + length;
  if (end > r->in_at + r->in_length) {
    uint64_t from = r->in_at + r->in_length, to = from + READ_AHEAD;
    if (to < end) to = end;
    if (to > r->in_at + r->in_room) to = r->in_at + r->in_room;
    if (to > source->size) to = source->size;
    if (!ol_source_read(source, from, (size_t)(to - from), r->in + r->in_length)) {
      return fail(r, OL_REWRITE_READ_FAILED);
    }
    r->in_length += (size_t)(to - from);
  }
  *bytes = r->in + (at - r->in_at);
  return true;
}

static bool take_iv(rewriter *r, uint8_t *out) {
  if (r->iv_used == IV_POOL) {
    if (RAND_bytes(r->ivs, IV_POOL) != 1) return fail(r, OL_REWRITE_CRYPTO);
    r->iv_used = 0;
  }
  memcpy(out, r->ivs + r->iv_used, OL_AES_BLOCK);
  r->iv_used += OL_AES_BLOCK;
  return true;
}

static bool need_read_key(rewriter *r, subject *s, ol_crypt_method method) {
  if (s->has_read_key) return true;
  s->has_read_key = true;
  return ol_crypt_object_key(&r->plan->read, method, s->object->number, s->object->generation,
                             s->read_key, &s->read_key_bytes) ||
         fail(r, OL_REWRITE_CRYPTO);
}

/* Keys live until the flush that uses them; a subject that outlives it asks again. */
static bool need_write_key(rewriter *r, subject *s, ol_crypt_method method) {
  if (method == OL_CRYPT_AESV3) {
    s->write_key = r->plan->write.key;
    s->write_key_bytes = OL_HANDLER_KEY_MAX;
    return true;
  }
  if (s->has_write_key && r->key_count > 0) return true;
  s->has_write_key = true;
  s->write_key = r->keys[r->key_count];
  if (r->keys_dirty <= r->key_count) r->keys_dirty = r->key_count + 1;
  return ol_crypt_object_key(&r->plan->write, method, s->object->number, s->object->generation,
                             r->keys[r->key_count++], &s->write_key_bytes) ||
         fail(r, OL_REWRITE_CRYPTO);
}

/* In pieces, so that a cancelled job ends soon; `out` may be `in`. */
static bool flow_rc4(rewriter *r, ol_rc4 *rc4, const uint8_t *in, uint8_t *out, size_t length) {
  for (size_t at = 0; at < length; at += CRYPT_PIECE) {
    if (is_cancelled(r)) return false;
    ol_rc4_apply(rc4, in + at, out + at, length - at < CRYPT_PIECE ? length - at : CRYPT_PIECE);
  }
  return true;
}

static void apply_rc4(const uint8_t *key, size_t key_bytes, uint8_t *bytes, size_t length) {
  ol_rc4 rc4;
  ol_rc4_init(&rc4, key, key_bytes);
  ol_rc4_apply(&rc4, bytes, bytes, length);
  OPENSSL_cleanse(&rc4, sizeof rc4);
}

static const EVP_CIPHER *read_cipher(const rewriter *r, unsigned method) {
  return method == OL_CRYPT_AESV3 ? r->plan->aes256 : r->plan->aes128;
}

static bool begin_decrypt(rewriter *r, subject *s, ol_crypt_method method, const uint8_t *iv) {
  return (need_read_key(r, s, method) &&
          EVP_DecryptInit_ex2(r->plan->cipher, read_cipher(r, method), s->read_key, iv, NULL) &&
          EVP_CIPHER_CTX_set_padding(r->plan->cipher, 0)) ||
         fail(r, OL_REWRITE_CRYPTO);
}

/* Whole blocks; `out` may be `in`. */
static bool decrypt_blocks(rewriter *r, const uint8_t *in, uint8_t *out, size_t length) {
  for (size_t at = 0; at < length; at += CRYPT_PIECE) {
    int n, piece = (int)(length - at < CRYPT_PIECE ? length - at : CRYPT_PIECE);
    if (is_cancelled(r)) return false;
    if (!EVP_DecryptUpdate(r->plan->cipher, out + at, &n, in + at, piece)) {
      return fail(r, OL_REWRITE_CRYPTO);
    }
  }
  return true;
}

static void add_job(rewriter *r, const subject *s, const uint8_t *in, uint8_t *out, size_t length,
                    const uint8_t *iv, bool pad) {
  ol_cbc_job *job = &r->jobs[r->job_count++];
  job->in = in;
  job->out = out;
  job->length = length;
  job->key = s->write_key;
  job->pad = pad;
  memcpy(job->iv, iv, OL_AES_BLOCK);
}

/*
 * A string: decoded into the arena 16 bytes on, so that either IV stands before the text, then
 * deciphered and enciphered in place.
 */
static bool emit_string(rewriter *r, subject *s, const uint8_t *start, const ol_edit *edit) {
  unsigned from = s->object->read_strings, to = s->object->write_strings;
  uint8_t *text = r->arena + r->arena_used + OL_AES_BLOCK, *out = r->out + r->out_used;
  bool from_aes = from >= OL_CRYPT_AESV2 && edit->length > 0, to_aes = to >= OL_CRYPT_AESV2;
  size_t length = edit->plain, out_length = (size_t)ol_crypt_length(to, length);
  size_t used = r->arena_used + edit->length + out_length + 4 * OL_AES_BLOCK;
  if (r->arena_dirty < used) r->arena_dirty = used < r->arena_room ? used : r->arena_room;
  ol_string_decode(start + edit->at, start + edit->end, from_aes ? text - OL_AES_BLOCK : text);
  if (from_aes) {
    if (!begin_decrypt(r, s, from, text - OL_AES_BLOCK) ||
        !decrypt_blocks(r, text, text, edit->length - OL_AES_BLOCK)) {
      return false;
    }
  } else if (from == OL_CRYPT_RC4) {
    if (!need_read_key(r, s, from)) return false;
    apply_rc4(s->read_key, s->read_key_bytes, text, length);
  }
  r->out_used += 2 + 2 * out_length;
  if (!to_aes) {
    if (to == OL_CRYPT_RC4) {
      if (!need_write_key(r, s, to)) return false;
      apply_rc4(s->write_key, s->write_key_bytes, text, length);
    }
    put_hex(out, text, length);
    return true;
  }
  if (!need_write_key(r, s, to) || !take_iv(r, text - OL_AES_BLOCK)) return false;
  add_job(r, s, text, text, length, text - OL_AES_BLOCK, true);
  r->hex[r->hex_count++] = (hex_string){text - OL_AES_BLOCK, out_length, out};
  r->arena_used += out_length + 4 * OL_AES_BLOCK;
  return true;
}

/* Room for a body in every store, so that nothing is flushed while it is written. */
static bool reserve_body(rewriter *r, const ol_planned *object) {
  size_t arena = object->body_out / 2 + 5u * OL_AES_BLOCK * (object->edit_count + 1);
  if (!out_reserve(r, object->body_out + 1)) return false;
  if (object->edit_count == 0) return true;
  if (r->arena_room - r->arena_used < arena || JOBS_MAX - r->job_count < object->edit_count + 1 ||
      r->key_count + 1 >= JOBS_MAX) {
    if (!flush(r)) return false;
  }
  if (r->arena_room >= arena && object->edit_count < JOBS_MAX) return true;
  if (r->arena_room < arena) {
    if (arena < ARENA_ROOM) arena = ARENA_ROOM;
    if (r->arena) OPENSSL_cleanse(r->arena, r->arena_dirty);
    free(r->arena);
    r->arena_dirty = 0;
    r->arena = malloc(arena);
    r->arena_room = r->arena ? arena : 0;
    if (!r->arena) return fail(r, OL_REWRITE_NO_MEMORY);
  }
  if (object->edit_count < JOBS_MAX) return true;
  /* More strings in one body than jobs: the stores grow to hold them. */
  ol_cbc_job *jobs = realloc(r->jobs, (object->edit_count + 2) * sizeof *jobs);
  if (!jobs) return fail(r, OL_REWRITE_NO_MEMORY);
  r->jobs = jobs;
  hex_string *hex = realloc(r->hex, (object->edit_count + 2) * sizeof *hex);
  if (!hex) return fail(r, OL_REWRITE_NO_MEMORY);
  r->hex = hex;
  return true;
}

static bool emit_body(rewriter *r, subject *s, const uint8_t *start) {
  const ol_planned *object = s->object;
  const ol_edit *edits = object->edit_count ? r->plan->edits.items + object->first_edit : NULL;
  uint32_t at = 0;
  for (uint32_t i = 0; i < object->edit_count; i++) {
    const ol_edit *edit = &edits[i];
    memcpy(r->out + r->out_used, start + at, edit->at - at);
    r->out_used += edit->at - at;
    at = edit->end;
    if (edit->string) {
      if (!emit_string(r, s, start, edit)) return false;
    } else if (edit->length) {
      memcpy(r->out + r->out_used, r->plan->texts.bytes + edit->plain, edit->length);
      r->out_used += edit->length;
    }
  }
  memcpy(r->out + r->out_used, start + at, object->body_length - at);
  r->out_used += object->body_length - at;
  return true;
}

/* A stream's data on its way through the windows, counted in bytes of plain text. */
typedef struct {
  uint64_t at; /* Where the plain text's first byte, enciphered or not, is in the source. */
  uint64_t done;
  bool begun; /* At least one piece has been taken. */
  ol_rc4 read;
} flow;

static size_t round_up(size_t length) {
  return (length + OL_AES_BLOCK - 1) / OL_AES_BLOCK * OL_AES_BLOCK;
}

/* Brings a piece's plain text to `out`, or finds that it may stay where it is. */
static bool flow_read(rewriter *r, subject *s, flow *f, size_t length, uint8_t *out,
                      const uint8_t **text) {
  unsigned from = s->object->read_data;
  bool from_aes = from >= OL_CRYPT_AESV2;
  size_t whole = length / OL_AES_BLOCK * OL_AES_BLOCK, rest = length - whole;
  const uint8_t *in;
  uint8_t block[OL_AES_BLOCK];
  if (!in_view(r, f->at + f->done, from_aes ? round_up(length) : length, &in)) return false;
  *text = from == OL_CRYPT_NONE ? in : out;
  if (from == OL_CRYPT_RC4) return flow_rc4(r, &f->read, in, out, length);
  if (!from_aes) return true;
  if (!decrypt_blocks(r, in, out, whole)) return false;
  if (rest) {
    if (!decrypt_blocks(r, in + whole, block, sizeof block)) return false;
    memcpy(out + whole, block, rest);
    OPENSSL_cleanse(block, sizeof block);
  }
  return true;
}

static bool flow_write(rewriter *r, subject *s, size_t length, const uint8_t *text, uint8_t *out,
                       bool last) {
  unsigned to = s->object->write_data;
  if (to == OL_CRYPT_RC4) {
    r->rc4_chained = &r->rc4_jobs[r->rc4_count++];
    *r->rc4_chained = (ol_rc4_job){.state = r->rc4_chain, .in = text, .out = out, .length = length};
  } else if (to == OL_CRYPT_NONE) {
    if (text != out) memcpy(out, text, length);
  } else {
    if (!need_write_key(r, s, to)) return false;
    add_job(r, s, text, out, length, r->chain, last);
    r->chained = &r->jobs[r->job_count - 1];
  }
  r->out_used +=
      to >= OL_CRYPT_AESV2 && last ? length / OL_AES_BLOCK * OL_AES_BLOCK + OL_AES_BLOCK : length;
  return true;
}

/* As much as fits the windows: all, or whole blocks. 0 asks for a flush. */
static size_t piece_length(const rewriter *r, const subject *s, const flow *f) {
  uint64_t left = s->object->plain_length - f->done;
  size_t out = r->out_room - r->out_used, in = in_available(r, f->at + f->done), least;
  if (left + OL_AES_BLOCK <= out && left + OL_AES_BLOCK <= in) return (size_t)left;
  least = out < in ? out : in;
  if (least <= LEAST_PIECE) return 0;
  least -= 2 * OL_AES_BLOCK;
  least = least / OL_AES_BLOCK * OL_AES_BLOCK;
  return least < left ? least : (size_t)left;
}

static bool begin_flow(rewriter *r, subject *s, flow *f) {
  const ol_planned *object = s->object;
  unsigned from = object->read_data, to = object->write_data;
  memset(f, 0, sizeof *f);
  f->at = object->at + object->body_length;
  if (from >= OL_CRYPT_AESV2 && object->data_length > 0) {
    const uint8_t *iv;
    if (!in_view(r, f->at, OL_AES_BLOCK, &iv) || !begin_decrypt(r, s, from, iv)) return false;
    f->at += OL_AES_BLOCK;
  }
  if (from == OL_CRYPT_RC4) {
    if (!need_read_key(r, s, from)) return false;
    ol_rc4_init(&f->read, s->read_key, s->read_key_bytes);
  }
  if (to == OL_CRYPT_RC4) {
    if (!need_write_key(r, s, to)) return false;
    ol_rc4_init(&r->rc4_chain, s->write_key, s->write_key_bytes);
  }
  if (to < OL_CRYPT_AESV2) return true;
  if (!out_reserve(r, OL_AES_BLOCK) || !take_iv(r, r->chain)) return false;
  memcpy(r->out + r->out_used, r->chain, OL_AES_BLOCK);
  r->out_used += OL_AES_BLOCK;
  return true;
}

static bool emit_data(rewriter *r, subject *s) {
  const ol_planned *object = s->object;
  bool ok = false;
  flow f;
  if (!begin_flow(r, s, &f)) goto done;
  while (f.done < object->plain_length || !f.begun) {
    size_t length = piece_length(r, s, &f);
    if ((length == 0 && object->plain_length > 0) || r->chained || r->rc4_chained ||
        r->job_count >= JOBS_MAX || r->rc4_count >= RC4_JOBS_MAX || r->key_count + 1 >= JOBS_MAX) {
      if (!flush(r)) goto done;
      length = piece_length(r, s, &f);
    }
    if (!out_reserve(r, length + 2 * OL_AES_BLOCK)) goto done;
    const uint8_t *text;
    bool last = f.done + length == object->plain_length;
    uint8_t *out = r->out + r->out_used;
    /* Room for the piece is there, so reading it flushes nothing and `out` stays good. */
    if ((length == 0 && !last) || !flow_read(r, s, &f, length, out, &text)) {
      if (r->status == OL_REWRITE_OK) fail(r, OL_REWRITE_CHANGED);
      goto done;
    }
    if (!flow_write(r, s, length, text, out, last)) goto done;
    f.done += length;
    f.begun = true;
  }
  r->chained = NULL;
  r->rc4_chained = NULL;
  ok = true;
done:
  OPENSSL_cleanse(&f, sizeof f);
  return ok;
}

static bool emit_object(rewriter *r, const ol_planned *object, const uint8_t *memory) {
  subject s = {.object = object};
  const uint8_t *start = memory, *tail;
  bool ok = false;
  if (r->out_at + r->out_used != object->out_at) return fail(r, OL_REWRITE_CHANGED);
  if (!reserve_body(r, object)) return false;
  if ((!memory && !in_view(r, object->at, object->body_length, &start)) ||
      !emit_body(r, &s, start)) {
    goto done;
  }
  if (object->tail_length) {
    uint64_t at = object->at + object->body_length + object->data_length;
    if (!emit_data(r, &s) || !out_reserve(r, object->tail_length + 1) ||
        !in_view(r, at, object->tail_length, &tail)) {
      goto done;
    }
    memcpy(r->out + r->out_used, tail, object->tail_length);
    r->out_used += object->tail_length;
  }
  r->out[r->out_used++] = '\n';
  ok = true;
done:
  OPENSSL_cleanse(s.read_key, sizeof s.read_key);
  return ok;
}

static bool emit_text(rewriter *r, const ol_text *text) {
  for (size_t at = 0, piece; at < text->length; at += piece) {
    piece = text->length - at < CRYPT_PIECE ? text->length - at : CRYPT_PIECE;
    if (!out_reserve(r, piece)) return false;
    memcpy(r->out + r->out_used, text->bytes + at, piece);
    r->out_used += piece;
  }
  return true;
}

static bool open_rewriter(rewriter *r) {
  const ol_plan *plan = r->plan;
  bool aes = plan->write_method >= OL_CRYPT_AESV2, rc4 = plan->write_method == OL_CRYPT_RC4;
  r->out = r->target->memory;
  r->out_room = (size_t)plan->total;
  if (!r->target->memory) {
    if (plan->total > OUT_ROOM) r->out_room = OUT_ROOM;
    r->out = malloc(r->out_room);
  }
  if (!plan->source.memory) {
    r->in_room = IN_ROOM;
    r->in = malloc(IN_ROOM);
    r->in_stale = true;
  }
  r->iv_used = IV_POOL;
  r->keys = malloc(JOBS_MAX * sizeof *r->keys);
  if (aes) {
    r->jobs = malloc(JOBS_MAX * sizeof *r->jobs);
    r->hex = malloc(JOBS_MAX * sizeof *r->hex);
  }
  if (rc4) r->rc4_jobs = malloc(RC4_JOBS_MAX * sizeof *r->rc4_jobs);
  return r->out && r->keys && (!rc4 || r->rc4_jobs) && (plan->source.memory || r->in) &&
         (!aes || (r->jobs && r->hex));
}

static void close_rewriter(rewriter *r) {
  if (r->arena) OPENSSL_cleanse(r->arena, r->arena_dirty);
  if (r->keys) OPENSSL_cleanse(r->keys, r->keys_dirty * sizeof *r->keys);
  /* Text that is decrypted but not enciphered waits here when a job is broken off. */
  if (r->status != OL_REWRITE_OK && r->out) OPENSSL_cleanse(r->out, r->out_room);
  if (!r->target->memory) free(r->out);
  free(r->in);
  if (r->rc4_dirty < r->rc4_count) r->rc4_dirty = r->rc4_count;
  if (r->rc4_jobs) OPENSSL_cleanse(r->rc4_jobs, r->rc4_dirty * sizeof *r->rc4_jobs);
  OPENSSL_cleanse(&r->rc4_chain, sizeof r->rc4_chain);
  free(r->jobs);
  free(r->rc4_jobs);
  free(r->keys);
  free(r->hex);
  free(r->arena);
}

ol_rewrite_status ol_rewrite(ol_plan *plan, ol_rewrite_target *target) {
  rewriter r = {.plan = plan, .target = target, .status = OL_REWRITE_OK};
  if (!open_rewriter(&r)) {
    r.status = OL_REWRITE_NO_MEMORY;
    goto done;
  }
  if (!emit_text(&r, &plan->head)) goto done;
  for (size_t i = 0; i < plan->count; i++) {
    if (!plan->objects[i].dropped && !emit_object(&r, &plan->objects[i], NULL)) goto done;
  }
  if (plan->catalog_object.edit_count &&
      !emit_object(&r, &plan->catalog_object, plan->catalog.bytes)) {
    goto done;
  }
  if (!emit_text(&r, &plan->tail) || !flush(&r)) goto done;
  if (r.out_at + r.out_used != plan->total) r.status = OL_REWRITE_CHANGED;
done:
  close_rewriter(&r);
  return r.status;
}

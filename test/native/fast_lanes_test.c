/*
 * AES-CBC side by side against OpenSSL one by one, on random jobs: unequal lengths from 0 up,
 * same and different keys, padded and not, in place and not, at odd addresses.
 *
 *   fast_lanes_test [SEED]         every implementation that this processor has
 *   fast_lanes_test --write FILE   writes jobs and what OpenSSL makes of them
 *   fast_lanes_test --check FILE   checks the ARM implementation against such a file; this is all
 *                                  that a build with OL_LANES_CHECK_ONLY knows, without OpenSSL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pdf/lanes.h"
#include "pdf/lanes_schedule.h"

enum { JOBS_MAX = 64, KEYS = 5, LARGE = 3 << 20, SPARE = 64 };

typedef struct {
  size_t count, key_bytes;
  uint8_t keys[KEYS][32];
  ol_cbc_job jobs[JOBS_MAX];
  size_t out_length[JOBS_MAX];
  uint8_t *in[JOBS_MAX], *out[JOBS_MAX], *expected[JOBS_MAX];
} round_data;

static int read_u32(FILE *f) {
  uint8_t b[4];
  if (fread(b, 1, 4, f) != 4) return -1;
  return (int)(b[0] | (unsigned)b[1] << 8 | (unsigned)b[2] << 16 | (unsigned)b[3] << 24);
}

static bool output_matches(const round_data *r, const char *name) {
  for (size_t i = 0; i < r->count; i++) {
    size_t n = r->out_length[i];
    if (memcmp(r->out[i], r->expected[i], n) != 0) {
      printf("%s: job %zu of %zu, %zu bytes, differs\n", name, i, r->count, n);
      return false;
    }
    if (n && memcmp(r->jobs[i].iv, r->expected[i] + n - 16, 16) != 0) {
      printf("%s: job %zu does not hand its last block on\n", name, i);
      return false;
    }
    for (size_t k = n; k < n + SPARE; k++) {
      if (r->out[i][k] == 0xa5) continue;
      printf("%s: job %zu wrote past its end\n", name, i);
      return false;
    }
  }
  return true;
}

static int check_file(const char *path) {
  const ol_lanes_kernel *kernel = ol_lanes_arm();
  FILE *f = fopen(path, "rb");
  int rounds, ok = 1;
  static round_data r;
  if (!f || !kernel) return 2;
  rounds = read_u32(f);
  for (int i = 0; i < rounds; i++) {
    r.count = (size_t)read_u32(f);
    r.key_bytes = (size_t)read_u32(f);
    ok = ok && fread(r.keys, 1, sizeof r.keys, f) == sizeof r.keys;
    for (size_t k = 0; k < r.count && ok; k++) {
      ol_cbc_job *job = &r.jobs[k];
      job->length = (size_t)read_u32(f);
      job->pad = read_u32(f) == 1;
      job->key = r.keys[read_u32(f) % KEYS];
      r.out_length[k] = job->pad ? job->length / 16 * 16 + 16 : job->length;
      r.in[k] = malloc(job->length + SPARE);
      r.out[k] = malloc(r.out_length[k] + SPARE);
      r.expected[k] = malloc(r.out_length[k] + SPARE);
      memset(r.out[k], 0xa5, r.out_length[k] + SPARE);
      ok = fread(job->iv, 1, 16, f) == 16 && fread(r.in[k], 1, job->length, f) == job->length &&
           fread(r.expected[k], 1, r.out_length[k], f) == r.out_length[k];
      job->in = r.in[k];
      job->out = r.out[k];
    }
    ok = ok && ol_lanes_schedule(kernel, r.jobs, r.count, r.key_bytes, NULL) == OL_LANES_OK &&
         output_matches(&r, "arm");
    for (size_t k = 0; k < r.count; k++) {
      free(r.in[k]);
      free(r.out[k]);
      free(r.expected[k]);
    }
    if (!ok) break;
  }
  fclose(f);
  printf("%s: %d rounds\n", ok ? "ok" : "FAILED", rounds);
  return ok ? 0 : 1;
}

#ifdef OL_LANES_CHECK_ONLY

int main(int argc, char **argv) {
  return argc == 3 ? check_file(argv[2]) : 2;
}

#else

#include <openssl/evp.h>

#include "pdf/lanes_rc4.h"

static uint64_t state = 1;

static uint32_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 16);
}

static void fill(uint8_t *p, size_t length) {
  for (size_t i = 0; i < length; i++)
    p[i] = (uint8_t)next();
}

static size_t random_length(bool large) {
  switch (next() % 8) {
    case 0:
      return next() % 3;
    case 1:
      return next() % 33;
    case 2:
    case 3:
      return next() % 600;
    case 4:
      return 16 * (next() % 70);
    case 5:
      return large && next() % 8 == 0 ? next() % LARGE : next() % 70000;
    default:
      return next() % 5000;
  }
}

static void expect(round_data *r, size_t i) {
  ol_cbc_job *job = &r->jobs[i];
  EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
  int n = 0, end = 0;
  EVP_EncryptInit_ex(ctx, r->key_bytes == 32 ? EVP_aes_256_cbc() : EVP_aes_128_cbc(), NULL,
                     job->key, job->iv);
  EVP_CIPHER_CTX_set_padding(ctx, job->pad);
  EVP_EncryptUpdate(ctx, r->expected[i], &n, r->in[i], (int)job->length);
  EVP_EncryptFinal_ex(ctx, r->expected[i] + n, &end);
  r->out_length[i] = (size_t)(n + end);
  EVP_CIPHER_CTX_free(ctx);
}

static void make_round(round_data *r, bool large) {
  r->count = next() % 5 == 0 ? next() % 4 : next() % JOBS_MAX;
  r->key_bytes = next() % 2 ? 32 : 16;
  fill(&r->keys[0][0], sizeof r->keys);
  for (size_t i = 0; i < r->count; i++) {
    ol_cbc_job *job = &r->jobs[i];
    job->length = random_length(large);
    job->pad = next() % 4 != 0;
    if (!job->pad) job->length -= job->length % 16;
    job->key = r->keys[next() % 3 ? 0 : next() % KEYS];
    fill(job->iv, 16);
    r->in[i] = malloc(job->length + SPARE);
    fill(r->in[i], job->length);
    r->expected[i] = malloc(job->length + SPARE);
    expect(r, i);
  }
}

static void free_round(round_data *r) {
  for (size_t i = 0; i < r->count; i++) {
    free(r->in[i]);
    free(r->expected[i]);
  }
}

static bool try_round(const round_data *from, ol_lanes_kind kind, const char *name) {
  static round_data r;
  uint8_t *stores[JOBS_MAX];
  bool ok;
  r = *from;
  for (size_t i = 0; i < r.count; i++) {
    size_t shift = next() % 16;
    stores[i] = malloc(r.out_length[i] + SPARE + 16);
    memset(stores[i], 0xa5, r.out_length[i] + SPARE + 16);
    r.jobs[i].out = r.out[i] = stores[i] + shift;
    r.jobs[i].in = r.in[i];
    if (next() % 3 != 0) continue;
    memcpy(r.out[i], r.in[i], r.jobs[i].length);
    memset(r.out[i] + r.jobs[i].length, 0xa5, SPARE);
    r.jobs[i].in = r.out[i];
  }
  ok = ol_cbc_encrypt_with(kind, r.jobs, r.count, r.key_bytes, NULL) == OL_LANES_OK &&
       output_matches(&r, name);
  for (size_t i = 0; i < r.count; i++)
    free(stores[i]);
  return ok;
}

static bool try_cancel(ol_lanes_kind kind) {
  uint8_t key[32] = {0}, *bytes = calloc(1, LARGE);
  int cancel = 1;
  ol_cbc_job jobs[2] = {
      {.in = bytes, .out = bytes, .length = LARGE / 2, .key = key},
      {.in = bytes + LARGE / 2, .out = bytes + LARGE / 2, .length = LARGE / 2, .key = key}};
  bool ok = ol_cbc_encrypt_with(kind, jobs, 2, 32, &cancel) == OL_LANES_CANCELLED;
  free(bytes);
  return ok;
}

/* RC4 side by side against RC4 alone, in place every third time. */
static bool try_rc4(void) {
  static round_data r;
  static ol_rc4_job jobs[JOBS_MAX];
  bool ok = true;
  make_round(&r, false);
  for (size_t i = 0; i < r.count; i++) {
    ol_rc4 alone;
    size_t length = r.jobs[i].length;
    ol_rc4_init(&alone, r.jobs[i].key, r.key_bytes);
    jobs[i].state = alone;
    ol_rc4_apply(&alone, r.in[i], r.expected[i], length);
    r.out[i] = i % 3 == 0 ? r.in[i] : malloc(length + 1);
    jobs[i].in = r.in[i];
    jobs[i].out = r.out[i];
    jobs[i].length = length;
  }
  ok = ol_rc4_apply_many(jobs, r.count, NULL);
  for (size_t i = 0; i < r.count; i++) {
    ok = ok && memcmp(r.out[i], r.expected[i], r.jobs[i].length) == 0;
    if (i % 3 != 0) free(r.out[i]);
  }
  free_round(&r);
  return ok;
}

static void put_u32(FILE *f, size_t value) {
  for (int i = 0; i < 4; i++)
    fputc((int)(value >> 8 * i & 255), f);
}

static int write_file(const char *path) {
  enum { ROUNDS = 40 };
  FILE *f = fopen(path, "wb");
  static round_data r;
  if (!f) return 2;
  put_u32(f, ROUNDS);
  for (int i = 0; i < ROUNDS; i++) {
    make_round(&r, i == 0);
    put_u32(f, r.count);
    put_u32(f, r.key_bytes);
    fwrite(r.keys, 1, sizeof r.keys, f);
    for (size_t k = 0; k < r.count; k++) {
      put_u32(f, r.jobs[k].length);
      put_u32(f, r.jobs[k].pad);
      put_u32(f, (size_t)(r.jobs[k].key - r.keys[0]) / 32);
      fwrite(r.jobs[k].iv, 1, 16, f);
      fwrite(r.in[k], 1, r.jobs[k].length, f);
      fwrite(r.expected[k], 1, r.out_length[k], f);
    }
    free_round(&r);
  }
  return fclose(f) ? 2 : 0;
}

int main(int argc, char **argv) {
  static const struct {
    ol_lanes_kind kind;
    const char *name;
  } kinds[] = {{OL_LANES_OPENSSL, "openssl"},
               {OL_LANES_AESNI, "aesni"},
               {OL_LANES_VAES, "vaes"},
               {OL_LANES_ARM, "arm"},
               {OL_LANES_AUTO, "auto"}};
  static round_data r;
  int failed = 0;
  if (argc == 3 && strcmp(argv[1], "--write") == 0) return write_file(argv[2]);
  if (argc == 3 && strcmp(argv[1], "--check") == 0) return check_file(argv[2]);
  if (argc > 1) state = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (!ol_lanes_has(kinds[k].kind)) {
      printf("skipped: %s, which this processor lacks\n", kinds[k].name);
      continue;
    }
    int rounds = 0;
    for (; rounds < 150 && !failed; rounds++) {
      make_round(&r, rounds % 10 == 0);
      failed = !try_round(&r, kinds[k].kind, kinds[k].name);
      free_round(&r);
    }
    failed = failed || !try_cancel(kinds[k].kind);
    printf("%s: %s, %d rounds\n", failed ? "FAILED" : "ok", kinds[k].name, rounds);
  }
  for (int i = 0; i < 50 && !failed; i++)
    failed = !try_rc4();
  printf("%s: rc4\n", failed ? "FAILED" : "ok");
  return failed;
}

#endif

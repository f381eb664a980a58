/*
 * Feeds the rewriting engine whatever bytes come, under libFuzzer or, built with OL_FUZZ_MUTATE,
 * with mutations of its own:
 *
 *   fast_fuzz SEED ITERATIONS FILE…
 *
 * The first byte of libFuzzer's input chooses cipher and path. Whatever the engine takes it must
 * finish, and what it wrote it must take again and turn back into the same length of plain
 * document: that much holds for any input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pdf/fast.h"
#include "pdf/target_file.h"

static const char *const passwords[] = {"",       "user1", "user2",      "user3",   "user4",
                                        "master", "view",  "attachment", "asdfqwer"};
enum { PASSWORDS = sizeof passwords / sizeof *passwords };

static void free_report(ol_pdf_report *report) {
  for (size_t i = 0; i < report->warning_count; i++)
    free(report->warnings[i]);
  free(report->warnings);
  free(report->data);
  free(report->path);
  memset(report, 0, sizeof *report);
}

static void set_passwords(ol_pdf_options *options, ol_password list[PASSWORDS]) {
  for (size_t i = 0; i < PASSWORDS; i++) {
    list[i] = (ol_password){(const uint8_t *)passwords[i], strlen(passwords[i])};
  }
  options->passwords = list;
  options->password_count = PASSWORDS;
}

/* The same job from a file to a file, so that windows and their edges are tried as well. */
static bool by_path(ol_pdf_options options, const uint8_t *data, size_t length, size_t expected) {
  static char source[64], target[64];
  ol_pdf_report report = {0};
  ol_pdf_status status = OL_PDF_OK;
  FILE *f;
  bool taken;
  snprintf(source, sizeof source, "/tmp/fast-fuzz-%ld-in", (long)getpid());
  snprintf(target, sizeof target, "/tmp/fast-fuzz-%ld-out", (long)getpid());
  f = fopen(source, "wb");
  if (!f) abort();
  if (length && fwrite(data, 1, length, f) != length) abort();
  fclose(f);
  options.source = (ol_pdf_source){.path = source};
  options.target_path = target;
  taken = ol_pdf_fast_recrypt(&options, &report, &status);
  if (taken && (status != OL_PDF_OK || (expected && report.bytes_written != expected))) abort();
  if (!taken && expected) abort();
  free_report(&report);
  unlink(source);
  unlink(target);
  return taken;
}

static bool try_input(unsigned choice, const uint8_t *data, size_t length) {
  ol_password list[PASSWORDS];
  ol_pdf_options options = {0}, again = {0};
  ol_pdf_report report = {0}, second = {0};
  ol_pdf_status status = OL_PDF_OK;
  bool taken;
  set_passwords(&options, list);
  options.cipher = (ol_pdf_cipher)(choice % 5);
  options.encrypt_metadata = choice & 32 || options.cipher == OL_PDF_CIPHER_RC4_40;
  options.p = -4;
  options.source.data = data;
  options.source.length = length;
  taken = length > 0 && ol_pdf_fast_recrypt(&options, &report, &status);
  if (taken && status != OL_PDF_OK) abort();
  if (taken) {
    again.cipher = OL_PDF_CIPHER_NONE;
    again.encrypt_metadata = true;
    again.source.data = report.data;
    again.source.length = report.bytes_written;
    if (!ol_pdf_fast_recrypt(&again, &second, &status) || status != OL_PDF_OK) abort();
    if (choice & 64) by_path(options, data, length, report.bytes_written);
  }
  free_report(&report);
  free_report(&second);
  return taken;
}

#ifndef OL_FUZZ_MUTATE

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 1) try_input(data[0], data + 1, size - 1);
  return 0;
}

#else

static uint64_t state;

static uint32_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 16);
}

static uint8_t *read_file(const char *path, size_t *length) {
  FILE *f = fopen(path, "rb");
  uint8_t *bytes;
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  *length = (size_t)ftell(f);
  rewind(f);
  bytes = malloc(*length + 1);
  if (bytes && fread(bytes, 1, *length, f) != *length) abort();
  fclose(f);
  return bytes;
}

/* Small changes that keep most of a document's structure, so that deep code is reached. */
static void mutate(uint8_t *p, size_t length) {
  static const char *const words[] = {
      " 0 R", "<<",      ">>",     "endobj",  "stream", "/Length", "(",     ")",   "[",
      "]",    "/Type",   "/XRef",  "/ObjStm", "obj",    "/Crypt",  "/Prev", "/EF", "99999",
      "-1",   "/Filter", "\0\0\0", "/Root",   "<",      ">",       "%"};
  for (unsigned n = 1 + next() % 3; n > 0; n--) {
    size_t at = next() % length;
    switch (next() % 6) {
      case 0:
        p[at] ^= (uint8_t)(1u << next() % 8);
        break;
      case 1:
        p[at] = (uint8_t)next();
        break;
      case 2: {
        const char *word = words[next() % (sizeof words / sizeof *words)];
        size_t size = strlen(word);
        if (size <= length - at) memcpy(p + at, word, size);
        break;
      }
      case 3: {
        size_t from = next() % length, size = next() % 40;
        if (size <= length - at && size <= length - from) memmove(p + at, p + from, size);
        break;
      }
      case 4: {
        for (size_t i = at; i < length && i < at + 4000; i++) {
          if (p[i] < '0' || p[i] > '9') continue;
          p[i] = (uint8_t)('0' + next() % 10);
          break;
        }
        break;
      }
      default:
        p[at] = ' ';
    }
  }
}

int main(int argc, char **argv) {
  long iterations, taken = 0;
  if (argc < 4) return 2;
  ol_target_file_init();
  state = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
  iterations = atol(argv[2]);
  for (long i = 0; i < iterations; i++) {
    size_t length;
    uint8_t *bytes = read_file(argv[3 + next() % (unsigned)(argc - 3)], &length);
    if (!bytes || length == 0) {
      free(bytes);
      continue;
    }
    if (i % 50 != 0) mutate(bytes, length);
    taken += try_input(next(), bytes, length);
    free(bytes);
  }
  printf("%ld of %ld taken\n", taken, iterations);
  return 0;
}

#endif

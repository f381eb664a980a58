/*
 * Drives the rewriting engine from the command line, for tests and measurements without Node:
 *
 *   fast_driver SOURCE TARGET CIPHER [-p PASSWORD]… [-u USER] [-o OWNER] [-m] [-b] [-n TIMES]
 *
 * CIPHER: none, aes-256, aes-128, rc4-128, rc4-40. -m leaves metadata in clear. -b goes from
 * bytes to bytes and writes TARGET, unless it is "-", afterwards. -n repeats and prints times.
 * Exits with 0 when taken, 3 when stepped aside, 1 otherwise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "pdf/fast.h"
#include "pdf/target_file.h"

enum { PASSWORDS_MAX = 8 };

static const char *const ciphers[] = {"none", "aes-256", "aes-128", "rc4-128", "rc4-40"};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static ol_password password_of(const char *text) {
  return (ol_password){(const uint8_t *)text, strlen(text)};
}

static uint8_t *read_file(const char *path, size_t *length) {
  FILE *f = fopen(path, "rb");
  uint8_t *bytes;
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  *length = (size_t)ftell(f);
  rewind(f);
  bytes = malloc(*length + 1);
  if (bytes && fread(bytes, 1, *length, f) != *length) {
    free(bytes);
    bytes = NULL;
  }
  fclose(f);
  return bytes;
}

static void free_report(ol_pdf_report *report) {
  for (size_t i = 0; i < report->warning_count; i++)
    free(report->warnings[i]);
  free(report->warnings);
  free(report->data);
  free(report->path);
  memset(report, 0, sizeof *report);
}

static bool parse(int argc, char **argv, ol_pdf_options *options, ol_password *passwords,
                  bool *bytes, int *times) {
  int cipher = -1;
  for (int i = 0; i < 5; i++) {
    if (strcmp(argv[3], ciphers[i]) == 0) cipher = i;
  }
  if (cipher < 0) return false;
  options->source.path = argv[1];
  options->target_path = argv[2];
  options->cipher = (ol_pdf_cipher)cipher;
  options->p = -3900;
  options->encrypt_metadata = true;
  options->passwords = passwords;
  for (int i = 4; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "-m") == 0) {
      options->encrypt_metadata = false;
    } else if (strcmp(argv[i], "-b") == 0) {
      *bytes = true;
    } else {
      if (++i == argc) return false;
      switch (argv[i - 1][1]) {
        case 'p':
          if (options->password_count == PASSWORDS_MAX) return false;
          passwords[options->password_count++] = password_of(value);
          break;
        case 'u':
          options->user_password = password_of(value);
          break;
        case 'o':
          options->owner_password = password_of(value);
          break;
        case 'v':
          options->minimum_version = atoi(value);
          break;
        case 'n':
          *times = atoi(value);
          break;
        default:
          return false;
      }
    }
  }
  return true;
}

static int run(ol_pdf_options *options, int times, const char *save) {
  ol_pdf_report report = {0};
  ol_pdf_status status = OL_PDF_OK;
  double *taken = calloc((size_t)times, sizeof *taken);
  for (int i = 0; i < times; i++) {
    double start = now();
    free_report(&report);
    if (!ol_pdf_fast_recrypt(options, &report, &status)) {
      puts("aside");
      free(taken);
      return 3;
    }
    taken[i] = now() - start;
    if (status != OL_PDF_OK) break;
  }
  if (status != OL_PDF_OK) {
    printf("failed %d %s\n", (int)status, report.message);
  } else if (times > 1) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    qsort(taken, (size_t)times, sizeof *taken, compare);
    printf("median %.3f ms, best %.3f, %.0f MB/s, peak %ld MB\n", taken[times / 2] * 1e3,
           taken[0] * 1e3, (double)report.bytes_written / taken[times / 2] / 1e6,
           usage.ru_maxrss >> 10);
  }
  for (size_t i = 0; i < report.warning_count; i++)
    printf("warning: %s\n", report.warnings[i]);
  if (status == OL_PDF_OK && report.data && strcmp(save, "-") != 0) {
    FILE *f = fopen(save, "wb");
    if (f) {
      fwrite(report.data, 1, report.bytes_written, f);
      fclose(f);
    }
  }
  free_report(&report);
  free(taken);
  return status == OL_PDF_OK ? 0 : 1;
}

int main(int argc, char **argv) {
  ol_password passwords[PASSWORDS_MAX];
  ol_pdf_options options = {0};
  uint8_t *data = NULL;
  bool bytes = false;
  int times = 1, code;
  if (argc < 4 || !parse(argc, argv, &options, passwords, &bytes, &times)) {
    fputs("usage: fast_driver SOURCE TARGET CIPHER [options]\n", stderr);
    return 2;
  }
  ol_target_file_init();
  if (bytes) {
    data = read_file(argv[1], &options.source.length);
    if (!data) return 2;
    options.source.path = options.target_path = NULL;
    options.source.data = data;
  }
  code = run(&options, times, argv[2]);
  free(data);
  return code;
}

/*
 * The PDF engine from the command line, without Node: for sanitizers, profilers and scripts.
 *
 *   pdf_driver info SOURCE [--password TEXT]...
 *   pdf_driver recrypt SOURCE TARGET [options]     (TARGET "-": into memory, then dropped)
 *
 * Options: --password, --user, --owner TEXT; --cipher aes-256|aes-128|rc4-128|rc4-40; --p N;
 * --clear-metadata; --version N; --linearize; --streams generate|disable; --strict; --bytes (the
 * source goes through memory); --repeat N (prints milliseconds per document); --cancel-after MS.
 * Prints one line of JSON. Exit status: 0 if it worked, 1 if not, 2 for a wrong command line.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pdf/recrypt.h"

enum { PASSWORDS_MAX = 16 };

static const char *const status_names[] = {"ok",       "cancelled", "memory",
                                           "password", "damaged",   "unsupported",
                                           "system",   "invalid",   "crypto"};
static const char *const method_names[] = {"none", "rc4", "aes-128", "aes-256", "mixed"};
static const char *const cipher_names[] = {"none", "aes-256", "aes-128", "rc4-128", "rc4-40"};

typedef struct {
  ol_pdf_options options;
  ol_password passwords[PASSWORDS_MAX];
  int repeat;
  int cancel_after;
  int bytes;
} command;

static volatile int cancel_flag;

static void *cancel_later(void *context) {
  int ms = *(int *)context;
  struct timespec pause = {ms / 1000, (ms % 1000) * 1000000L};
  nanosleep(&pause, NULL);
  __atomic_store_n(&cancel_flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static ol_password password_of(const char *text) {
  return (ol_password){(const uint8_t *)text, strlen(text)};
}

static int cipher_of(const char *name) {
  for (int i = 0; i < 5; i++) {
    if (strcmp(cipher_names[i], name) == 0) return i;
  }
  return -1;
}

/* Takes the option at argv[i]; how many arguments it was, 0 if it is none. */
static int option_take(command *c, char **argv, int i) {
  const char *name = argv[i];
  ol_pdf_options *o = &c->options;
  if (strcmp(name, "--clear-metadata") == 0) return o->encrypt_metadata = false, 1;
  if (strcmp(name, "--linearize") == 0) return o->linearize = true, 1;
  if (strcmp(name, "--strict") == 0) return o->strict = true, 1;
  if (strcmp(name, "--bytes") == 0) return c->bytes = 1, 1;
  const char *value = argv[i + 1];
  if (value == NULL) return 0;
  if (strcmp(name, "--password") == 0) {
    if (o->password_count == PASSWORDS_MAX) return 0;
    c->passwords[o->password_count++] = password_of(value);
  } else if (strcmp(name, "--user") == 0) {
    o->user_password = password_of(value);
  } else if (strcmp(name, "--owner") == 0) {
    o->owner_password = password_of(value);
  } else if (strcmp(name, "--cipher") == 0) {
    int cipher = cipher_of(value);
    if (cipher < 0) return 0;
    o->cipher = (ol_pdf_cipher)cipher;
  } else if (strcmp(name, "--p") == 0) {
    o->p = (int32_t)strtol(value, NULL, 10);
  } else if (strcmp(name, "--version") == 0) {
    o->minimum_version = atoi(value);
  } else if (strcmp(name, "--streams") == 0) {
    o->object_streams = value[0] == 'g' ? OL_PDF_STREAMS_GENERATE : OL_PDF_STREAMS_DISABLE;
  } else if (strcmp(name, "--repeat") == 0) {
    c->repeat = atoi(value);
  } else if (strcmp(name, "--cancel-after") == 0) {
    c->cancel_after = atoi(value);
  } else {
    return 0;
  }
  return 2;
}

static int source_load(ol_pdf_source *source) {
  FILE *file = fopen(source->path, "rb");
  if (file == NULL) return 0;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  uint8_t *data = malloc((size_t)size + 1);
  source->length = data == NULL ? 0 : fread(data, 1, (size_t)size, file);
  source->data = data;
  source->path = NULL;
  fclose(file);
  return data != NULL;
}

static void text_print(const char *name, const char *text) {
  printf(", \"%s\": \"", name);
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    putchar(*text);
  }
  putchar('"');
}

static void report_print(const ol_pdf_report *report) {
  if (report->message[0] != '\0') text_print("message", report->message);
  if (report->syscall != NULL) {
    printf(", \"errno\": %d", report->system_errno);
    text_print("syscall", report->syscall);
    text_print("path", report->path != NULL ? report->path : "");
  }
  for (size_t i = 0; i < report->warning_count && i < 5; i++) {
    text_print("warning", report->warnings[i]);
  }
}

static int run_info(const command *c) {
  ol_pdf_encryption_info info;
  ol_pdf_report report;
  ol_pdf_status status = ol_pdf_encryption(&c->options.source, c->passwords,
                                           c->options.password_count, NULL, &info, &report);
  printf("{\"status\": \"%s\"", status_names[status]);
  printf(", \"encrypted\": %s, \"method\": \"%s\", \"version\": %d, \"revision\": %d",
         info.encrypted ? "true" : "false", method_names[info.method], info.version, info.revision);
  printf(", \"keyBits\": %d, \"p\": %d, \"encryptMetadata\": %s, \"opensAs\": %u", info.key_bits,
         info.p, info.encrypt_metadata ? "true" : "false", info.opens_as);
  report_print(&report);
  puts("}");
  ol_pdf_report_free(&report);
  return status != OL_PDF_OK;
}

static int run_recrypt(command *c) {
  ol_pdf_report report;
  ol_pdf_status status = OL_PDF_OK;
  pthread_t canceller;
  int cancels =
      c->cancel_after > 0 && pthread_create(&canceller, NULL, cancel_later, &c->cancel_after) == 0;
  double start = now_ms();
  for (int i = 0; i < c->repeat; i++) {
    if (i != 0) ol_pdf_report_free(&report);
    status = ol_pdf_recrypt(&c->options, &report);
    if (status != OL_PDF_OK) break;
  }
  double each = (now_ms() - start) / c->repeat;
  if (cancels) pthread_join(canceller, NULL);
  printf("{\"status\": \"%s\", \"bytesWritten\": %llu, \"repaired\": %s", status_names[status],
         (unsigned long long)report.bytes_written, report.repaired ? "true" : "false");
  if (c->repeat > 1 || cancels) printf(", \"ms\": %.3f", each);
  report_print(&report);
  puts("}");
  ol_pdf_report_free(&report);
  return status != OL_PDF_OK;
}

int main(int argc, char **argv) {
  command c = {.repeat = 1};
  c.options.encrypt_metadata = true;
  c.options.p = -3900;
  c.options.passwords = c.passwords;
  c.options.cancel = &cancel_flag;
  int recrypt = argc > 3 && strcmp(argv[1], "recrypt") == 0;
  if (!recrypt && !(argc > 2 && strcmp(argv[1], "info") == 0)) return 2;
  c.options.source.path = argv[2];
  if (recrypt && strcmp(argv[3], "-") != 0) c.options.target_path = argv[3];
  for (int i = recrypt ? 4 : 3; i < argc;) {
    int taken = option_take(&c, argv, i);
    if (taken == 0) return fprintf(stderr, "bad option: %s\n", argv[i]), 2;
    i += taken;
  }
  const char *path = c.options.source.path;
  if (c.bytes && !source_load(&c.options.source)) return fprintf(stderr, "no file: %s\n", path), 2;
  ol_pdf_init();
  int failed = recrypt ? run_recrypt(&c) : run_info(&c);
  if (c.bytes) free((void *)c.options.source.data);
  return failed;
}

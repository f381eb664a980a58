/*
 * Feeds the engine over libqpdf whatever bytes come, under libFuzzer. The first byte of an input
 * chooses what is asked for. Nothing may crash, hang or leak; what is written must open again with
 * the password it was given, without repairs, and as the cipher that was asked for.
 *
 * clang, with Node's or OpenSSL's headers:
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -Isrc … test/native/pdf_fuzz.c src/pdf/… \
 *       -lqpdf -lcrypto
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pdf/recrypt.h"

static const char *const passwords[] = {"",       "user1", "user2",      "user3",   "user4",
                                        "master", "view",  "attachment", "asdfqwer"};
enum { PASSWORDS = sizeof passwords / sizeof *passwords };

static const ol_password new_password = {(const uint8_t *)"new", 3};

static void fail(const char *what, const ol_pdf_report *report) {
  fprintf(stderr, "%s: %s\n", what, report->message);
  abort();
}

static void check_output(const ol_pdf_options *asked, const ol_pdf_report *written) {
  ol_pdf_source source = {NULL, written->data, (size_t)written->bytes_written};
  ol_pdf_encryption_info info;
  ol_pdf_report report;
  ol_pdf_status status = ol_pdf_encryption(&source, &new_password, 1, NULL, &info, &report);
  if (status != OL_PDF_OK) fail("the output cannot be read", &report);
  if (info.encrypted != (asked->cipher != OL_PDF_CIPHER_NONE)) fail("encryption", &report);
  if (info.encrypted && (info.opens_as != (OL_OPENS_AS_USER | OL_OPENS_AS_OWNER) ||
                         info.p != asked->p || info.encrypt_metadata != asked->encrypt_metadata)) {
    fail("the output is not encrypted as asked", &report);
  }
  ol_pdf_report_free(&report);
  ol_pdf_options again = {.source = source, .passwords = &new_password, .password_count = 1};
  status = ol_pdf_recrypt(&again, &report);
  if (status != OL_PDF_OK) fail("the output cannot be written anew", &report);
  ol_pdf_report_free(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length) {
  ol_pdf_init();
  if (length == 0) return 0;
  uint8_t choice = data[0];
  uint8_t *bytes = malloc(length); /* Of the exact size, so that reading past it is seen. */
  if (bytes == NULL) return 0;
  memcpy(bytes, data + 1, length - 1);
  ol_password list[PASSWORDS];
  for (size_t i = 0; i < PASSWORDS; i++) {
    list[i] = (ol_password){(const uint8_t *)passwords[i], strlen(passwords[i])};
  }
  ol_pdf_options options = {
      .source = {NULL, bytes, length - 1},
      .passwords = list,
      .password_count = PASSWORDS,
      .cipher = (ol_pdf_cipher)(choice % 5),
      .user_password = new_password,
      .p = choice % 5 == OL_PDF_CIPHER_RC4_40 ? -60 : -3388,
      .encrypt_metadata = choice % 5 == OL_PDF_CIPHER_RC4_40 || (choice / 5) % 2 == 0,
      .object_streams = (ol_pdf_object_streams)((choice / 10) % 3),
      .linearize = (choice / 30) % 4 == 3,
      .strict = (choice / 120) % 2 == 1,
  };
  if (options.cipher == OL_PDF_CIPHER_NONE) options.encrypt_metadata = true;
  ol_pdf_report report;
  if (ol_pdf_recrypt(&options, &report) == OL_PDF_OK) check_output(&options, &report);
  ol_pdf_report_free(&report);
  free(bytes);
  return 0;
}

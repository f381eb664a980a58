#include "fast.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fast_plan.h"
#include "lanes.h"
#include "rewrite.h"
#include "source_file.h"
#include "target_file.h"

enum { PASSWORD_MAX = 32, PASSWORD_MAX_R6 = 127 };

static bool is_cancelled(const ol_pdf_options *options) {
  return ol_is_set(options->cancel);
}

/* What this engine never does, and what is for ol_pdf_recrypt to refuse. */
static bool options_fit(const ol_pdf_options *options) {
  size_t longest = options->cipher == OL_PDF_CIPHER_AES_256 ? PASSWORD_MAX_R6 : PASSWORD_MAX;
  int version = options->minimum_version;
  if (options->linearize || options->object_streams != OL_PDF_STREAMS_PRESERVE) return false;
  if (version != 0 && version != 20 && (version < 10 || version > 17)) return false;
  if (options->cipher == OL_PDF_CIPHER_NONE) return true;
  if (options->user_password.length > longest || options->owner_password.length > longest) {
    return false;
  }
  if (options->cipher == OL_PDF_CIPHER_RC4_40 && !options->encrypt_metadata) return false;
  return options->cipher == OL_PDF_CIPHER_AES_256 || options->user_password.length == 0 ||
         !memchr(options->user_password.data, 0, options->user_password.length);
}

static bool open_source(ol_source *source, ol_source_file *file, const ol_pdf_source *given) {
  ol_system_error error = {0};
  if (!given->path) {
    ol_source_open_memory(source, given->data, given->length);
    return given->length > 0;
  }
  /* A file that cannot be opened or read is for libqpdf's path to report. */
  return ol_source_file_open(file, given->path, &error) &&
         ol_source_open_fd(source, file->fd, file->size);
}

static ol_pdf_status fail_system(ol_pdf_report *report, int number, const char *syscall,
                                 const char *path) {
  report->system_errno = number;
  report->syscall = syscall;
  report->path = path ? strdup(path) : NULL;
  snprintf(report->message, sizeof report->message, "%s", strerror(number));
  return OL_PDF_SYSTEM;
}

static bool add_warning(ol_pdf_report *report, const char *text) {
  char **warnings = realloc(report->warnings, (report->warning_count + 1) * sizeof *warnings);
  if (!warnings) return false;
  report->warnings = warnings;
  warnings[report->warning_count] = strdup(text);
  return warnings[report->warning_count] && ++report->warning_count;
}

static ol_pdf_status status_of(ol_rewrite_status rewritten, const ol_plan *plan,
                               const ol_rewrite_target *target, ol_pdf_report *report) {
  const ol_pdf_options *options = plan->options;
  switch (rewritten) {
    case OL_REWRITE_OK:
      return OL_PDF_OK;
    case OL_REWRITE_CANCELLED:
      return OL_PDF_CANCELLED;
    case OL_REWRITE_NO_MEMORY:
      return OL_PDF_OUT_OF_MEMORY;
    case OL_REWRITE_CRYPTO:
      return OL_PDF_CRYPTO;
    case OL_REWRITE_WRITE_FAILED:
      return fail_system(report, target->error.number, target->error.syscall, options->target_path);
    case OL_REWRITE_READ_FAILED:
      if (plan->source.error) {
        return fail_system(report, plan->source.error, "read", options->source.path);
      }
      break;
    case OL_REWRITE_CHANGED:
      break;
  }
  snprintf(report->message, sizeof report->message, "the file changed while it was read");
  return OL_PDF_UNREADABLE;
}

static ol_pdf_status finish(const ol_plan *plan, ol_pdf_report *report) {
  const ol_pdf_options *options = plan->options;
  report->bytes_written = plan->total;
  if (plan->signature && !add_warning(report, OL_PDF_SIGNATURE_WARNING)) {
    return OL_PDF_OUT_OF_MEMORY;
  }
  if (options->progress) options->progress(options->progress_context, 1);
  return OL_PDF_OK;
}

static ol_pdf_status to_memory(ol_plan *plan, ol_pdf_report *report) {
  ol_rewrite_target target = {0};
  ol_pdf_status status;
  if (plan->total > SIZE_MAX / 2) return OL_PDF_OUT_OF_MEMORY;
  target.memory = malloc((size_t)plan->total);
  if (!target.memory) return OL_PDF_OUT_OF_MEMORY;
  status = status_of(ol_rewrite(plan, &target), plan, &target, report);
  if (status == OL_PDF_OK) status = finish(plan, report);
  if (status == OL_PDF_OK) {
    report->data = target.memory;
  } else {
    report->bytes_written = 0;
    free(target.memory);
  }
  return status;
}

/* False, if the target cannot be opened: that too is for libqpdf's path to report. */
static bool to_file(ol_plan *plan, ol_pdf_report *report, ol_pdf_status *status) {
  const char *path = plan->options->target_path;
  ol_target_file file;
  ol_rewrite_target target = {.file = &file};
  if (!ol_target_file_open(&file, path, &target.error)) return false;
  *status = status_of(ol_rewrite(plan, &target), plan, &target, report);
  if (*status == OL_PDF_OK && is_cancelled(plan->options)) *status = OL_PDF_CANCELLED;
  if (*status == OL_PDF_OK && !ol_target_file_commit(&file, &target.error)) {
    *status = fail_system(report, target.error.number, target.error.syscall, path);
  }
  if (*status == OL_PDF_OK) *status = finish(plan, report);
  ol_target_file_discard(&file);
  return true;
}

bool ol_pdf_fast_recrypt(const ol_pdf_options *options, ol_pdf_report *report,
                         ol_pdf_status *status) {
  ol_plan *plan;
  ol_source_file file = {.fd = -1};
  bool taken = false;
  if (!options_fit(options)) return false;
  plan = calloc(1, sizeof *plan);
  if (!plan) return false;
  if (open_source(&plan->source, &file, &options->source) && ol_plan_make(plan, options)) {
    taken = true;
    if (options->target_path) {
      taken = to_file(plan, report, status);
    } else {
      *status = to_memory(plan, report);
    }
  }
  if (!taken && is_cancelled(options)) {
    *status = OL_PDF_CANCELLED;
    taken = true;
  }
  ol_source_file_close(&file);
  ol_plan_free(plan);
  free(plan);
  return taken;
}

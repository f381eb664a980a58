#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "op_recrypt.h"
#include "pdf/engine.h"
#include "pdf/recrypt.h"

/* recrypt(sourcePath, sourceData, targetPath, secrets, flags, p, version, progress):
 * { bytesWritten, repaired, warnings, data }. Paths are bytes that end with a NUL; one of the two
 * sources is undefined, and without a target path `data` is a Buffer. `secrets` is a list of
 * byte strings, each behind its length in 4 bytes, little-endian: the new user and owner passwords,
 * then those to try on the source. `progress` is the bytes of a Float64Array that takes the
 * fraction done. */
enum { SOURCE_PATH, SOURCE_DATA, TARGET_PATH, SECRETS, FLAGS, P, VERSION, PROGRESS, COUNT };

/* pdfEncryption(sourcePath, sourceData, secrets): what the document says, or undefined where it is
 * not encrypted. `secrets` as above, but holds only what to try. */
enum { TELL_SOURCE_PATH, TELL_SOURCE_DATA, TELL_SECRETS, TELL_COUNT };

/* flags = cipher | object streams << 4 | these; as in lib/recrypt.js. */
enum { CIPHER_MASK = 15, STREAMS_SHIFT = 4, STREAMS_MASK = 3 };
enum { ENCRYPT_METADATA = 1 << 6, LINEARIZE = 1 << 7, STRICT = 1 << 8 };

enum { SECRETS_MAX = 10, NEW_PASSWORDS = 2 };

/* What a document of unknown size costs at least, in nanoseconds. */
enum { DOCUMENT_COST = 1000000 };

/* Borrowed bytes, and the copy that they are in if the job leaves the JS thread. */
typedef struct {
  ol_bytes bytes;
  uint8_t *owned;
} argument;

typedef struct {
  ol_pdf_options options;
  ol_pdf_report report;
  ol_pdf_encryption_info info;
  argument source_path, target_path, secrets;
  ol_password passwords[SECRETS_MAX];
  size_t password_count;
  ol_bytes data, progress;
} recrypt_job;

/* The job's memory is larger than a state may be. */
typedef struct {
  recrypt_job *job;
} recrypt_state;

static ol_status argument_read(const ol_call *call, size_t index, argument *argument,
                               ol_failure *failure) {
  return ol_args_copy(call, index, &argument->bytes, &argument->owned, failure);
}

static void argument_free(argument *argument) {
  if (argument->owned == NULL) return;
  OPENSSL_cleanse(argument->owned, argument->bytes.size);
  free(argument->owned);
}

static ol_status read_path(const ol_call *call, size_t index, argument *argument, const char **path,
                           ol_failure *failure) {
  ol_status status = argument_read(call, index, argument, failure);
  if (status != OL_OK) return status;
  ol_bytes bytes = argument->bytes;
  if (bytes.size == 0 || bytes.data[bytes.size - 1] != 0) {
    return ol_fail(failure, OL_ARG_VALUE, "%s", "A path must end with a NUL");
  }
  *path = (const char *)bytes.data;
  return OL_OK;
}

static ol_status read_source(const ol_call *call, size_t path, size_t data, recrypt_job *job,
                             ol_failure *failure) {
  ol_pdf_source *source = &job->options.source;
  if (ol_args_given(call, path)) {
    return read_path(call, path, &job->source_path, &source->path, failure);
  }
  ol_status status = ol_args_bytes(call, data, OL_HOLD_READ, &job->data, failure);
  source->data = job->data.data;
  source->length = job->data.size;
  return status;
}

static ol_status read_secrets(const ol_call *call, size_t index, recrypt_job *job,
                              ol_failure *failure) {
  ol_status status = argument_read(call, index, &job->secrets, failure);
  if (status != OL_OK) return status;
  const uint8_t *at = job->secrets.bytes.data;
  size_t left = job->secrets.bytes.size;
  while (left >= 4 && job->password_count < SECRETS_MAX) {
    size_t length = (size_t)at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
    at += 4;
    left -= 4;
    if (length > left) break;
    job->passwords[job->password_count++] = (ol_password){at, length};
    at += length;
    left -= length;
  }
  return left == 0 ? OL_OK : ol_fail(failure, OL_ARG_VALUE, "%s", "Malformed passwords");
}

static ol_status job_create(void *memory, recrypt_job **job, ol_failure *failure) {
  recrypt_state *state = memory;
  ol_pdf_init();
  state->job = calloc(1, sizeof(*state->job));
  *job = state->job;
  return state->job != NULL ? OL_OK : ol_fail(failure, OL_OUT_OF_MEMORY, "%s", "");
}

static ol_status read_options(const ol_call *call, recrypt_job *job, ol_failure *failure) {
  ol_pdf_options *options = &job->options;
  uint32_t flags = ol_args_uint32(call, FLAGS);
  if (job->password_count < NEW_PASSWORDS) {
    return ol_fail(failure, OL_ARG_VALUE, "%s", "Malformed passwords");
  }
  options->user_password = job->passwords[0];
  options->owner_password = job->passwords[1];
  options->passwords = job->passwords + NEW_PASSWORDS;
  options->password_count = job->password_count - NEW_PASSWORDS;
  options->cipher = (ol_pdf_cipher)(flags & CIPHER_MASK);
  options->object_streams = (ol_pdf_object_streams)(flags >> STREAMS_SHIFT & STREAMS_MASK);
  options->encrypt_metadata = (flags & ENCRYPT_METADATA) != 0;
  options->linearize = (flags & LINEARIZE) != 0;
  options->strict = (flags & STRICT) != 0;
  options->p = ol_args_int32(call, P);
  options->minimum_version = ol_args_int32(call, VERSION);
  if (options->cipher > OL_PDF_CIPHER_RC4_40 || options->object_streams > OL_PDF_STREAMS_DISABLE) {
    return ol_fail(failure, OL_ARG_VALUE, "%s", "Unknown encryption or object streams");
  }
  return OL_OK;
}

static ol_status recrypt_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  recrypt_job *job = NULL;
  ol_status status = job_create(memory, &job, failure);
  if (status == OL_OK) status = read_source(call, SOURCE_PATH, SOURCE_DATA, job, failure);
  if (status == OL_OK && ol_args_given(call, TARGET_PATH)) {
    status = read_path(call, TARGET_PATH, &job->target_path, &job->options.target_path, failure);
  }
  if (status == OL_OK) status = read_secrets(call, SECRETS, job, failure);
  if (status == OL_OK) status = read_options(call, job, failure);
  if (status == OL_OK && ol_args_given(call, PROGRESS)) {
    status = ol_args_bytes(call, PROGRESS, OL_HOLD_WRITE, &job->progress, failure);
    if (status == OL_OK && job->progress.size < sizeof(double)) {
      status = ol_fail(failure, OL_RANGE, "%s", "The progress needs 8 bytes");
    }
  }
  ol_job_cost(call->job, DOCUMENT_COST + (job != NULL ? job->data.size * 4 : 0));
  return status;
}

/* JavaScript reads the number while this thread writes it; it must never see half of one. */
static void progress_store(void *context, double fraction) {
  __atomic_store((double *)context, &fraction, __ATOMIC_RELAXED);
}

static ol_status fail_from(ol_pdf_status status, const ol_pdf_report *report, ol_failure *failure) {
  static const ol_status statuses[] = {
      [OL_PDF_OK] = OL_OK,
      [OL_PDF_CANCELLED] = OL_CANCELLED,
      [OL_PDF_OUT_OF_MEMORY] = OL_OUT_OF_MEMORY,
      [OL_PDF_WRONG_PASSWORD] = OL_PDF_PASSWORD,
      [OL_PDF_UNREADABLE] = OL_PDF_DAMAGED,
      [OL_PDF_NOT_SUPPORTED] = OL_PDF_UNSUPPORTED,
      [OL_PDF_SYSTEM] = OL_SYSTEM,
      [OL_PDF_INVALID] = OL_ARG_VALUE,
      [OL_PDF_CRYPTO] = OL_CRYPTO,
  };
  bool tells = status == OL_PDF_UNREADABLE || status == OL_PDF_NOT_SUPPORTED ||
               status == OL_PDF_INVALID || status == OL_PDF_CRYPTO;
  if (status == OL_PDF_OK) return OL_OK;
  if (status == OL_PDF_SYSTEM) {
    return ol_fail_system(failure, report->system_errno, report->syscall, report->path);
  }
  return ol_fail(failure, statuses[status], "%s", tells ? report->message : "");
}

static ol_status recrypt_run(void *memory, ol_run *run) {
  recrypt_job *job = ((recrypt_state *)memory)->job;
  ol_pdf_options *options = &job->options;
  options->cancel = (const volatile int *)run->cancel;
  if (job->progress.data != NULL) {
    options->progress = progress_store;
    options->progress_context = job->progress.data;
  }
  ol_pdf_status status = ol_pdf_engine_recrypt(options, &job->report);
  run->written = job->report.bytes_written;
  return fail_from(status, &job->report, run->failure);
}

static void data_free(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  free(data);
}

/* The document as a Buffer, without a copy where the runtime allows memory of ours in one. */
static napi_status data_create(napi_env env, ol_pdf_report *report, napi_value *value) {
  size_t size = (size_t)report->bytes_written;
  napi_status status = napi_create_external_buffer(env, size, report->data, data_free, NULL, value);
  if (status == napi_ok) {
    report->data = NULL;
    return status;
  }
  return napi_create_buffer_copy(env, size, report->data, NULL, value);
}

static napi_status warnings_create(napi_env env, const ol_pdf_report *report, napi_value *value) {
  napi_status status = napi_create_array_with_length(env, report->warning_count, value);
  for (size_t i = 0; status == napi_ok && i < report->warning_count; i++) {
    napi_value text;
    status = napi_create_string_utf8(env, report->warnings[i], NAPI_AUTO_LENGTH, &text);
    if (status == napi_ok) status = napi_set_element(env, *value, (uint32_t)i, text);
  }
  return status;
}

static napi_status set(napi_env env, napi_value object, const char *name, napi_status made,
                       napi_value value) {
  return made == napi_ok ? napi_set_named_property(env, object, name, value) : made;
}

static napi_status recrypt_result(napi_env env, void *memory, napi_value *value) {
  ol_pdf_report *report = &((recrypt_state *)memory)->job->report;
  napi_value item = NULL;
  napi_status status = napi_create_object(env, value);
  if (status != napi_ok) return status;
  status = napi_create_double(env, (double)report->bytes_written, &item);
  status = set(env, *value, "bytesWritten", status, item);
  if (status == napi_ok) status = napi_get_boolean(env, report->repaired, &item);
  status = set(env, *value, "repaired", status, item);
  if (status == napi_ok) status = warnings_create(env, report, &item);
  status = set(env, *value, "warnings", status, item);
  if (status != napi_ok || report->data == NULL) return status;
  status = data_create(env, report, &item);
  return set(env, *value, "data", status, item);
}

static ol_status tell_prepare(const ol_call *call, void *memory, ol_failure *failure) {
  recrypt_job *job = NULL;
  ol_status status = job_create(memory, &job, failure);
  if (status == OL_OK) status = read_source(call, TELL_SOURCE_PATH, TELL_SOURCE_DATA, job, failure);
  if (status == OL_OK) status = read_secrets(call, TELL_SECRETS, job, failure);
  ol_job_cost(call->job, DOCUMENT_COST);
  return status;
}

static ol_status tell_run(void *memory, ol_run *run) {
  recrypt_job *job = ((recrypt_state *)memory)->job;
  ol_pdf_status status =
      ol_pdf_encryption(&job->options.source, job->passwords, job->password_count,
                        (const volatile int *)run->cancel, &job->info, &job->report);
  return fail_from(status, &job->report, run->failure);
}

static napi_status tell_result(napi_env env, void *memory, napi_value *value) {
  const ol_pdf_encryption_info *info = &((recrypt_state *)memory)->job->info;
  if (!info->encrypted) return napi_get_undefined(env, value);
  const struct {
    const char *name;
    int32_t number;
  } numbers[] = {
      {"method", (int32_t)info->method},
      {"version", info->version},
      {"revision", info->revision},
      {"keyBits", info->key_bits},
      {"p", info->p},
      {"encryptMetadata", info->encrypt_metadata},
      {"opensAs", (int32_t)info->opens_as},
  };
  napi_status status = napi_create_object(env, value);
  for (size_t i = 0; status == napi_ok && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
    napi_value item = NULL;
    status = napi_create_int32(env, numbers[i].number, &item);
    status = set(env, *value, numbers[i].name, status, item);
  }
  return status;
}

static void recrypt_release(void *memory) {
  recrypt_job *job = ((recrypt_state *)memory)->job;
  if (job == NULL) return;
  ol_pdf_report_free(&job->report);
  argument_free(&job->secrets);
  argument_free(&job->source_path);
  argument_free(&job->target_path);
  free(job);
}

const ol_operation ol_operation_recrypt = {
    .name = "recrypt",
    .argument_count = COUNT,
    .state_size = sizeof(recrypt_state),
    .prepare = recrypt_prepare,
    .run = recrypt_run,
    .result = recrypt_result,
    .release = recrypt_release,
};

const ol_operation ol_operation_pdf_encryption = {
    .name = "pdfEncryption",
    .argument_count = TELL_COUNT,
    .state_size = sizeof(recrypt_state),
    .prepare = tell_prepare,
    .run = tell_run,
    .result = tell_result,
    .release = recrypt_release,
};

static const char *const engine_names[] = {
    [OL_PDF_ENGINE_AUTO] = "auto",
    [OL_PDF_ENGINE_FAST] = "fast",
    [OL_PDF_ENGINE_QPDF] = "qpdf",
};

enum { ENGINES = sizeof(engine_names) / sizeof(engine_names[0]), ENGINE_NAME_MAX = 8 };

static int engine_find(const char *name) {
  for (int i = 0; i < ENGINES; i++) {
    if (strcmp(name, engine_names[i]) == 0) return i;
  }
  return -1;
}

napi_value ol_recrypt_engine(napi_env napi, napi_callback_info info) {
  size_t count = 1;
  char name[ENGINE_NAME_MAX] = "";
  napi_value argument, value = NULL;
  if (napi_get_cb_info(napi, info, &count, &argument, NULL, NULL) != napi_ok) return NULL;
  if (count == 1) napi_get_value_string_utf8(napi, argument, name, sizeof(name), NULL);
  int wanted = engine_find(name);
  if (count == 1 && wanted < 0) {
    napi_throw_range_error(napi, "ERR_OUT_OF_RANGE", "The engine must be auto, fast or qpdf");
    return NULL;
  }
  ol_pdf_engine before =
      count == 1 ? ol_pdf_engine_force((ol_pdf_engine)wanted) : ol_pdf_engine_chosen();
  napi_create_string_utf8(napi, engine_names[before], NAPI_AUTO_LENGTH, &value);
  return value;
}

napi_value ol_recrypt_engine_counts(napi_env napi, napi_callback_info info) {
  ol_pdf_engine_counts counts = ol_pdf_engine_count();
  napi_value value = NULL, item = NULL;
  (void)info;
  if (napi_create_object(napi, &value) != napi_ok) return NULL;
  napi_status status = napi_create_double(napi, (double)counts.fast, &item);
  status = set(napi, value, "fast", status, item);
  if (status == napi_ok) status = napi_create_double(napi, (double)counts.qpdf, &item);
  status = set(napi, value, "qpdf", status, item);
  return status == napi_ok ? value : NULL;
}

#include "recrypt.h"

#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <set>

#include "big_stack.h"
#include "recrypt_io.h"
#include "recrypt_limits.h"
#include "recrypt_security.h"

#include <qpdf/Pl_Discard.hh>
#include <qpdf/QPDFLogger.hh>
#include <qpdf/QUtil.hh>
#include <qpdf/RandomDataProvider.hh>

namespace offloop {
namespace {

constexpr size_t WARNINGS_KEPT = 100;
constexpr size_t FIELDS_MAX = 10000;
constexpr double READ_SHARE = 0.05;
constexpr size_t STACK_LEAST = 16 << 20;
constexpr size_t STACK_PER_OBJECT = 2048;

class OpenSslRandom : public RandomDataProvider {
 public:
  void provideRandomData(unsigned char *data, size_t length) override {
    while (length != 0) {
      int n = static_cast<int>(std::min<size_t>(length, 1 << 20));
      if (RAND_bytes(data, n) != 1) throw std::runtime_error("no random bytes");
      data += n;
      length -= static_cast<size_t>(n);
    }
  }
};

void prepare_process() {
  static OpenSslRandom random;
  QUtil::setRandomDataProvider(&random);
  limits_install();
  ol_target_file_init();
}

/* An opened source: the bytes stay readable as long as the document is used. */
struct Document {
  SourceBytes bytes;
  std::unique_ptr<QPDF> pdf;
  Security security;
  bool encrypted = false;
  bool perms_disagree = false;
};

/* A key of no bytes makes libqpdf read the structure of an encrypted document without one. */
void document_parse(Job *job, Document *document, const std::string &hex_key, bool strict) {
  document->pdf.reset(new QPDF());
  QPDF &pdf = *document->pdf;
  job->set_document(&pdf);
  auto logger = QPDFLogger::create();
  auto nowhere = std::make_shared<Pl_Discard>();
  logger->setInfo(nowhere);
  logger->setWarn(nowhere);
  logger->setError(nowhere);
  pdf.setLogger(logger);
  pdf.setSuppressWarnings(true);
  pdf.setAttemptRecovery(!strict);
  pdf.setPasswordIsHexKey(true);
  try {
    pdf.processInputSource(std::make_shared<Source>(job, &document->bytes), hex_key.c_str());
  } catch (const QPDFExc &e) {
    if (e.getErrorCode() != qpdf_e_unsupported) throw;
    job->fail(OL_PDF_NOT_SUPPORTED, security_describe(pdf).c_str());
    throw Stop();
  }
}

void document_open(Job *job, Document *document, const ol_pdf_source &source, bool strict) {
  document->bytes.open(job, source);
  document_parse(job, document, std::string(), strict);
  document->encrypted = document->pdf->isEncrypted();
  if (document->encrypted) security_read(*document->pdf, &document->security);
}

/* The keys are found here rather than in libqpdf, whose R6 derivation takes ten times as long. */
void document_unlock(Job *job, Document *document, const ol_pdf_options &options) {
  if (!document->encrypted) return;
  FileKey key;
  unsigned opens_as = 0;
  Security &security = document->security;
  if (!security_unlock(job, options.passwords, options.password_count, &security, &key,
                       &opens_as)) {
    job->fail(OL_PDF_WRONG_PASSWORD, "the password does not open the document");
    throw Stop();
  }
  document->perms_disagree =
      security.version >= 5 && !ol_handler_perms_agree(&security.entries, key.bytes);
  std::string hex = key.hex(security.entries.key_bytes);
  document_parse(job, document, hex, options.strict);
  wipe(&hex);
}

void warning_add(ol_pdf_report *report, const char *text) {
  if (report->warning_count >= WARNINGS_KEPT) return;
  char *copy = strdup(text);
  if (copy == nullptr) throw std::bad_alloc();
  text_make_printable(copy);
  report->warnings[report->warning_count++] = copy;
}

/* A field, or one of those below it, with a signature's value. */
bool has_signature(QPDF &pdf) {
  QPDFObjectHandle form = pdf.getRoot().getKey("/AcroForm");
  if (!form.isDictionary()) return false;
  QPDFObjectHandle fields = form.getKey("/Fields");
  std::vector<QPDFObjectHandle> queue;
  std::set<QPDFObjGen> seen;
  if (fields.isArray()) queue = fields.getArrayAsVector();
  while (!queue.empty() && seen.size() < FIELDS_MAX) {
    QPDFObjectHandle field = queue.back();
    queue.pop_back();
    if (!field.isDictionary()) continue;
    if (field.isIndirect() && !seen.insert(field.getObjGen()).second) continue;
    if (field.getKey("/FT").isNameAndEquals("/Sig") && field.getKey("/V").isDictionary()) {
      return true;
    }
    QPDFObjectHandle kids = field.getKey("/Kids");
    if (!kids.isArray()) continue;
    for (const auto &kid : kids.getArrayAsVector())
      queue.push_back(kid);
  }
  return false;
}

void warnings_report(Job *job, Document *document, bool strict) {
  ol_pdf_report &report = job->report();
  std::vector<QPDFExc> found = document->pdf->getWarnings();
  report.warnings = static_cast<char **>(calloc(WARNINGS_KEPT, sizeof(char *)));
  if (report.warnings == nullptr) throw std::bad_alloc();
  report.repaired = !found.empty() || document->perms_disagree;
  if (has_signature(*document->pdf)) {
    warning_add(&report, OL_PDF_SIGNATURE_WARNING);
  }
  if (document->perms_disagree) {
    warning_add(&report, "the permissions were changed by other means than a password");
  }
  for (const QPDFExc &e : found)
    warning_add(&report, e.what());
  if (!strict || !report.repaired) return;
  job->fail(OL_PDF_UNREADABLE,
            found.empty() ? report.warnings[report.warning_count - 1] : found.front().what());
  throw Stop();
}

/*
 * Spells out what a stream's own crypt filter means. The standard lets its parameters be absent
 * (then it is Identity) and untyped; libqpdf takes the first for the document's own filter,
 * overlooks the second, and fails when it removes a filter that has no parameters beside it.
 */
void crypt_filter_complete(QPDFObjectHandle dictionary) {
  QPDFObjectHandle filter = dictionary.getKey("/Filter");
  if (!filter.isOrHasName("/Crypt")) return;
  QPDFObjectHandle parameters = dictionary.getKey("/DecodeParms");
  std::vector<QPDFObjectHandle> filters = {filter};
  if (filter.isArray()) filters = filter.getArrayAsVector();
  std::vector<QPDFObjectHandle> given = {parameters};
  if (parameters.isArray()) given = parameters.getArrayAsVector();
  given.resize(filters.size(), QPDFObjectHandle::newNull());
  for (size_t i = 0; i < filters.size(); i++) {
    if (!filters[i].isNameAndEquals("/Crypt")) continue;
    QPDFObjectHandle name = QPDFObjectHandle::newName("/Identity");
    if (given[i].isDictionary() && given[i].getKey("/Name").isName())
      name = given[i].getKey("/Name");
    given[i] = QPDFObjectHandle::newDictionary();
    given[i].replaceKey("/Type", QPDFObjectHandle::newName("/CryptFilterDecodeParms"));
    given[i].replaceKey("/Name", name);
  }
  bool alone = filters.size() == 1;
  dictionary.replaceKey("/Filter", alone ? filters[0] : QPDFObjectHandle::newArray(filters));
  dictionary.replaceKey("/DecodeParms", alone ? given[0] : QPDFObjectHandle::newArray(given));
}

/*
 * To linearize, libqpdf writes everything twice, but removes a crypt filter from a list the first
 * time and then reads the stream by the document's own filter. So its data is read beforehand.
 */
void crypt_filter_remove(QPDFObjectHandle stream) {
  QPDFObjectHandle dictionary = stream.getDict();
  QPDFObjectHandle filters = dictionary.getKey("/Filter");
  if (!filters.isArray() || !filters.isOrHasName("/Crypt")) return;
  QPDFObjectHandle parameters = dictionary.getKey("/DecodeParms");
  std::shared_ptr<Buffer> data = stream.getRawStreamData();
  QPDFObjectHandle left = QPDFObjectHandle::newArray();
  QPDFObjectHandle left_parameters = QPDFObjectHandle::newArray();
  for (int i = 0; i < filters.getArrayNItems(); i++) {
    if (filters.getArrayItem(i).isNameAndEquals("/Crypt")) continue;
    left.appendItem(filters.getArrayItem(i));
    left_parameters.appendItem(parameters.getArrayItem(i));
  }
  stream.replaceStreamData(data, left, left_parameters);
  stream.setFilterOnWrite(false);
}

/*
 * Sees to it that libqpdf passes every stream on byte for byte: it would decode clear metadata.
 * Returns how many objects there are.
 */
size_t streams_prepare(QPDF &pdf, bool linearize) {
  std::vector<QPDFObjectHandle> objects = pdf.getAllObjects();
  for (auto &object : objects) {
    if (!object.isStream()) continue;
    QPDFObjectHandle dictionary = object.getDict();
    crypt_filter_complete(dictionary);
    if (linearize) crypt_filter_remove(object);
    if (dictionary.isDictionaryOfType("/Metadata")) object.setFilterOnWrite(false);
  }
  return objects.size();
}

/* libqpdf writes the keys that a trailer has, /Size only if it is there: a damaged one lacks it. */
void trailer_complete(QPDF &pdf) {
  QPDFObjectHandle trailer = pdf.getTrailer();
  if (!trailer.hasKey("/Size")) trailer.replaceKey("/Size", QPDFObjectHandle::newInteger(1));
}

qpdf_object_stream_e object_stream_mode(ol_pdf_object_streams mode) {
  if (mode == OL_PDF_STREAMS_GENERATE) return qpdf_o_generate;
  return mode == OL_PDF_STREAMS_DISABLE ? qpdf_o_disable : qpdf_o_preserve;
}

/* Passes libqpdf's percentages on, mapped behind the share that reading took. */
class Progress {
 public:
  Progress(Job *job, const ol_pdf_options &options) : job_(job), options_(options) {
  }
  void at(double fraction) {
    job_->poll();
    if (options_.progress == nullptr || fraction <= last_) return;
    last_ = fraction;
    options_.progress(options_.progress_context, fraction);
  }

 private:
  Job *job_;
  const ol_pdf_options &options_;
  double last_ = 0;
};

void document_write(Job *job, Document *document, Sink *sink, Progress *progress,
                    const ol_pdf_options &options) {
  QPDF &pdf = *document->pdf;
  QPDFWriter writer(pdf);
  writer.setOutputPipeline(sink);
  writer.setStreamDataMode(qpdf_s_preserve);
  writer.setObjectStreamMode(object_stream_mode(options.object_streams));
  writer.setLinearization(options.linearize);
  if (options.minimum_version != 0) {
    writer.setMinimumPDFVersion(std::to_string(options.minimum_version / 10) + "." +
                                std::to_string(options.minimum_version % 10));
  }
  security_write(job, pdf, writer, options);
  writer.registerProgressReporter(std::make_shared<QPDFWriter::FunctionProgressReporter>(
      [progress](int percent) { progress->at(READ_SHARE + (0.99 - READ_SHARE) * percent / 100); }));
  writer.write();
  sink->flush();
  job->poll();
}

void fail_with(Job *job, const QPDFExc &e) {
  switch (e.getErrorCode()) {
    case qpdf_e_unsupported:
      job->fail(OL_PDF_NOT_SUPPORTED, e.what());
      break;
    case qpdf_e_password:
      job->fail(OL_PDF_WRONG_PASSWORD, "the password does not open the document");
      break;
    default:
      job->fail(OL_PDF_UNREADABLE, e.what());
  }
}

/* Runs a job's body and turns whatever it throws into a status. */
template <typename Body>
ol_pdf_status job_run(Job *job, Body body) {
  JobScope scope(job);
  try {
    body();
  } catch (const Stop &) {
  } catch (const QPDFExc &e) {
    fail_with(job, e);
  } catch (const std::bad_alloc &) {
    job->fail(OL_PDF_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &e) {
    job->fail(OL_PDF_UNREADABLE, e.what());
  } catch (...) {
    job->fail(OL_PDF_UNREADABLE, "unknown error");
  }
  return job->status();
}

/*
 * To linearize, libqpdf walks from object to object by recursion, as deep as there are objects in
 * the longest chain. That must not be the calling thread's stack. Objects are counted by entries
 * of the cross-reference, for any reference may name the highest number.
 */
void document_write_deeply(Job *job, Document *document, Sink *sink, Progress *progress,
                           const ol_pdf_options &options, size_t objects) {
  size_t size = STACK_LEAST + STACK_PER_OBJECT * objects;
  auto body = [&] {
    job_run(job, [&] {
      job->stack_begin(size - STACK_LEAST / 2);
      document_write(job, document, sink, progress, options);
    });
  };
  using Body = decltype(body);
  bool ran = ol_big_stack_run(
      size, [](void *context) { (*static_cast<Body *>(context))(); }, &body);
  if (!ran) job->fail(OL_PDF_OUT_OF_MEMORY, "no memory for a stack");
  job->poll();
  job->stack_begin();
}

void recrypt(Job *job, const ol_pdf_options &options) {
  Progress progress(job, options);
  job->poll();
  Document document;
  document_open(job, &document, options.source, options.strict);
  document_unlock(job, &document, options);
  progress.at(READ_SHARE);
  Sink sink(job, options.target_path, document.bytes.size());
  trailer_complete(*document.pdf);
  size_t objects = streams_prepare(*document.pdf, options.linearize);
  if (options.linearize) {
    document_write_deeply(job, &document, &sink, &progress, options, objects);
  } else {
    document_write(job, &document, &sink, &progress, options);
  }
  security_verify(job, &sink, options);
  warnings_report(job, &document, options.strict);
  job->poll();
  sink.commit();
  if (options.progress != nullptr) options.progress(options.progress_context, 1);
}

void encryption_tell(Job *job, const ol_pdf_source &source, const ol_password *passwords,
                     size_t count, ol_pdf_encryption_info *info) {
  job->poll();
  Document document;
  document_open(job, &document, source, false);
  if (!document.encrypted) return;
  const Security &security = document.security;
  FileKey key;
  security_unlock(job, passwords, count, &document.security, &key, &info->opens_as);
  info->encrypted = true;
  info->method = security.method;
  info->version = security.version;
  info->revision = security.entries.revision;
  info->key_bits = security.entries.key_bytes * 8;
  info->p = security.entries.p;
  info->encrypt_metadata = security.entries.encrypt_metadata;
}

}  // namespace
}  // namespace offloop

void ol_pdf_init(void) {
  static std::once_flag once;
  std::call_once(once, offloop::prepare_process);
}

ol_pdf_status ol_pdf_recrypt(const ol_pdf_options *options, ol_pdf_report *report) {
  *report = ol_pdf_report();
  offloop::Job job(options->cancel, report);
  ol_pdf_status status = offloop::job_run(&job, [&] { offloop::recrypt(&job, *options); });
  if (status != OL_PDF_OK) report->bytes_written = 0;
  return status;
}

ol_pdf_status ol_pdf_encryption(const ol_pdf_source *source, const ol_password *passwords,
                                size_t password_count, const volatile int *cancel,
                                ol_pdf_encryption_info *info, ol_pdf_report *report) {
  *report = ol_pdf_report();
  *info = ol_pdf_encryption_info();
  offloop::Job job(cancel, report);
  return offloop::job_run(
      &job, [&] { offloop::encryption_tell(&job, *source, passwords, password_count, info); });
}

void ol_pdf_report_free(ol_pdf_report *report) {
  for (size_t i = 0; i < report->warning_count; i++)
    free(report->warnings[i]);
  free(report->warnings);
  free(report->data);
  free(report->path);
  *report = ol_pdf_report();
}

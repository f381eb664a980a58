/*
 * What libqpdf reads from and writes to in a recrypt job. C++, private to recrypt*.cc.
 *
 * A job, its Source and its Sink belong to the one thread that runs it.
 */
#ifndef OL_PDF_RECRYPT_IO_H
#define OL_PDF_RECRYPT_IO_H

#define POINTERHOLDER_TRANSITION 4 /* libqpdf's headers ask for a choice. */

#include <memory>
#include <qpdf/InputSource.hh>
#include <qpdf/Pipeline.hh>
#include <qpdf/QPDF.hh>
#include <string>
#include <vector>

#include "recrypt.h"
#include "source_file.h"
#include "target_file.h"

namespace offloop {

/*
 * Thrown through libqpdf to end a job whose status is noted already. Not a std::exception, for
 * libqpdf catches those in many places and goes on as if the document were damaged.
 */
struct Stop {};

/* Replaces what is not printable ASCII: messages quote documents, which hold anything. */
void text_make_printable(char *text);

class Job {
 public:
  Job(const volatile int *cancel, ol_pdf_report *report) : cancel_(cancel), report_(report) {
  }

  /* Notes why the job ends. The first reason stays. */
  void fail(ol_pdf_status status, const char *message);
  void fail(const ol_system_error &error, const char *path, const char *role);

  /* Stops the job if it was cancelled or has failed. */
  void poll() {
    if (stopping()) throw Stop();
  }
  bool stopping() {
    if (status_ == OL_PDF_OK && cancel_ != nullptr && __atomic_load_n(cancel_, __ATOMIC_RELAXED)) {
      fail(OL_PDF_CANCELLED, "cancelled");
    }
    return status_ != OL_PDF_OK;
  }

  /* The stack of the thread that runs the job begins here, and may grow by so much. */
  void stack_begin(uintptr_t size = STACK_MAX);
  bool stack_exceeded() const;

  /* The document that is being read, if there is one. */
  QPDF *document() const {
    return document_;
  }
  void set_document(QPDF *document) {
    document_ = document;
  }

  ol_pdf_status status() const {
    return status_;
  }
  ol_pdf_report &report() {
    return *report_;
  }

 private:
  /* What recursion may use of a thread's stack, of which Node's smallest has 4 MB. */
  static constexpr uintptr_t STACK_MAX = 1 << 20;

  const volatile int *cancel_;
  ol_pdf_report *report_;
  ol_pdf_status status_ = OL_PDF_OK;
  QPDF *document_ = nullptr;
  uintptr_t stack_ = 0;
  uintptr_t stack_size_ = 0;
};

/* The bytes of a source, from memory or from a file through a window. */
class SourceBytes {
 public:
  ~SourceBytes();

  /* Opens the source; stops the job where that fails. */
  void open(Job *job, const ol_pdf_source &source);

  uint64_t size() const {
    return size_;
  }

  /* Bytes from `offset` on: at least one, or none at the end. They stay until the next call. */
  size_t at(uint64_t offset, const uint8_t **bytes);

  /* Copies up to `length` bytes. */
  size_t copy(uint64_t offset, void *out, size_t length);

 private:
  enum : size_t { WINDOW = 32768 };

  Job *job_ = nullptr;
  const char *path_ = nullptr;
  ol_source_file file_ = {-1, 0};
  std::unique_ptr<uint8_t[]> window_;
  const uint8_t *data_ = nullptr; /* What is at hand: all of it, or the window. */
  uint64_t start_ = 0;
  size_t length_ = 0;
  uint64_t size_ = 0;
};

/*
 * libqpdf's view of a source. Each look at it polls the job, watches the stack, whose depth a
 * document can drive by chains of references that are resolved one within the other, and
 * counts the warnings.
 */
class Source : public InputSource {
 public:
  Source(Job *job, SourceBytes *bytes);
  ~Source() override = default;

  qpdf_offset_t findAndSkipNextEOL() override;
  const std::string &getName() const override;
  qpdf_offset_t tell() override;
  void seek(qpdf_offset_t offset, int whence) override;
  void rewind() override;
  size_t read(char *buffer, size_t length) override;
  void unreadCh(char ch) override;

 private:
  void watch();

  Job *job_;
  SourceBytes *bytes_;
  uint64_t offset_ = 0;
  std::string name_;
};

/*
 * Takes the document that is written, into the target's temporary file or into memory.
 *
 * Never throws on behalf of itself but from within a long stream: libqpdf also writes from
 * destructors, where an exception would end the process. A failure is noted in the job, what
 * comes after it is dropped, and the next look at the source ends the job.
 */
class Sink : public Pipeline {
 public:
  Sink(Job *job, const char *path, uint64_t expected);
  ~Sink() override;

  void write(const unsigned char *data, size_t length) override;
  using Pipeline::write;
  void finish() override {
  }

  /* Writes what is still held back. */
  void flush();

  uint64_t size() const {
    return flushed_ + used_;
  }

  /* Reads the output back, after flush. */
  size_t read(uint64_t offset, void *out, size_t length);

  /* Puts the file in its place, or hands the bytes to the report. */
  void commit();

 private:
  enum : size_t { BUFFER = 262144, FINISH_MAX = 65536 };

  void put(const unsigned char *data, size_t length);
  bool reserve(size_t more);
  void notice(const unsigned char *data, size_t length);

  Job *job_;
  const char *path_;
  ol_target_file file_;
  uint8_t *buffer_ = nullptr; /* malloc'ed, for a report's data is freed with free. */
  size_t capacity_ = 0;
  size_t used_ = 0;
  uint64_t flushed_ = 0;

  /* Where the output is in a stream's data; see notice. */
  bool length_follows_ = false;
  uint64_t stream_length_ = 0;
  uint64_t stream_left_ = 0;
  bool stream_started_ = false;
};

}  // namespace offloop

#endif

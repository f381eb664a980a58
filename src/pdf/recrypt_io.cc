#include "recrypt_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <stdexcept>

namespace offloop {

namespace {

/* More warnings than this tell nobody anything, and each one costs memory. */
constexpr size_t WARNINGS_MAX = 10000;

uintptr_t stack_position() {
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
}

}  // namespace

void text_make_printable(char *text) {
  for (; *text != '\0'; text++) {
    if (*text < 32 || *text > 126) *text = '?';
  }
}

void Job::fail(ol_pdf_status status, const char *message) {
  if (status_ != OL_PDF_OK) return;
  status_ = status;
  snprintf(report_->message, sizeof report_->message, "%s", message);
  text_make_printable(report_->message);
}

void Job::fail(const ol_system_error &error, const char *path, const char *role) {
  if (status_ != OL_PDF_OK) return;
  if (error.number == OL_NOT_A_FILE) {
    fail(OL_PDF_INVALID, (std::string(role) + " is not a regular file").c_str());
    return;
  }
  fail(OL_PDF_SYSTEM, strerror(error.number));
  report_->system_errno = error.number;
  report_->syscall = error.syscall;
  report_->path = strdup(path);
}

void Job::stack_begin(uintptr_t size) {
  stack_ = stack_position();
  stack_size_ = size;
}

bool Job::stack_exceeded() const {
  uintptr_t here = stack_position();
  return (here < stack_ ? stack_ - here : here - stack_) > stack_size_;
}

SourceBytes::~SourceBytes() {
  ol_source_file_close(&file_);
}

void SourceBytes::open(Job *job, const ol_pdf_source &source) {
  job_ = job;
  if (source.path == nullptr) {
    data_ = source.data;
    size_ = length_ = source.length;
    return;
  }
  path_ = source.path;
  ol_system_error error = {0, nullptr};
  if (!ol_source_file_open(&file_, path_, &error)) {
    job->fail(error, path_, "the source");
    throw Stop();
  }
  size_ = file_.size;
  window_.reset(new uint8_t[WINDOW]);
}

size_t SourceBytes::at(uint64_t offset, const uint8_t **bytes) {
  if (offset >= size_) return 0;
  if (offset < start_ || offset - start_ >= length_) {
    ol_system_error error = {0, nullptr};
    length_ = 0;
    if (!ol_source_file_read(&file_, offset, window_.get(), WINDOW, &length_, &error)) {
      job_->fail(error, path_, "the source");
      throw Stop();
    }
    data_ = window_.get();
    start_ = offset;
    if (length_ == 0) return 0;
  }
  *bytes = data_ + (offset - start_);
  return length_ - static_cast<size_t>(offset - start_);
}

size_t SourceBytes::copy(uint64_t offset, void *out, size_t length) {
  size_t done = 0;
  while (done < length) {
    const uint8_t *bytes = nullptr;
    size_t n = std::min(at(offset + done, &bytes), length - done);
    if (n == 0) break;
    memcpy(static_cast<char *>(out) + done, bytes, n);
    done += n;
  }
  return done;
}

Source::Source(Job *job, SourceBytes *bytes) : job_(job), bytes_(bytes) {
}

void Source::watch() {
  job_->poll();
  if (job_->stack_exceeded()) {
    job_->fail(OL_PDF_UNREADABLE, "objects refer to each other too deeply");
    throw Stop();
  }
  if (job_->document()->numWarnings() > WARNINGS_MAX) {
    job_->fail(OL_PDF_UNREADABLE, "too many errors");
    throw Stop();
  }
}

qpdf_offset_t Source::findAndSkipNextEOL() {
  bool found = false;
  uint64_t eol = 0;
  for (;;) {
    watch();
    const uint8_t *bytes = nullptr;
    size_t n = bytes_->at(offset_, &bytes);
    if (n == 0) break;
    size_t i = 0;
    while (!found && i < n && bytes[i] != '\r' && bytes[i] != '\n')
      i++;
    if (!found && i < n) {
      found = true;
      eol = offset_ + i;
    }
    while (found && i < n && (bytes[i] == '\r' || bytes[i] == '\n'))
      i++;
    offset_ += i;
    if (i < n) break;
  }
  return static_cast<qpdf_offset_t>(found ? eol : offset_);
}

const std::string &Source::getName() const {
  return name_;
}

qpdf_offset_t Source::tell() {
  return static_cast<qpdf_offset_t>(offset_);
}

void Source::seek(qpdf_offset_t offset, int whence) {
  qpdf_offset_t base = 0;
  if (whence == SEEK_END) base = static_cast<qpdf_offset_t>(bytes_->size());
  if (whence == SEEK_CUR) base = tell();
  qpdf_offset_t target = 0;
  if (__builtin_add_overflow(base, offset, &target) || target < 0) {
    throw std::runtime_error("seek outside the file");
  }
  offset_ = static_cast<uint64_t>(target);
}

void Source::rewind() {
  offset_ = 0;
}

size_t Source::read(char *buffer, size_t length) {
  watch();
  last_offset = static_cast<qpdf_offset_t>(std::min(offset_, bytes_->size()));
  size_t n = bytes_->copy(offset_, buffer, length);
  offset_ += n;
  return n;
}

void Source::unreadCh(char) {
  if (offset_ > 0) offset_--;
}

Sink::Sink(Job *job, const char *path, uint64_t expected)
    : Pipeline("output", nullptr), job_(job), path_(path), file_() {
  file_.fd = -1;
  if (path != nullptr) {
    ol_system_error error = {0, nullptr};
    if (!ol_target_file_open(&file_, path, &error)) {
      job->fail(error, path, "the target");
      throw Stop();
    }
    expected = 0;
  }
  if (!reserve(std::max<size_t>(BUFFER, static_cast<size_t>(expected + expected / 64)))) {
    ol_target_file_discard(&file_);
    throw Stop();
  }
}

Sink::~Sink() {
  free(buffer_);
  ol_target_file_discard(&file_);
}

bool Sink::reserve(size_t more) {
  if (capacity_ - used_ >= more) return true;
  size_t wanted = std::max(used_ + more, capacity_ + capacity_ / 2);
  void *grown = more > SIZE_MAX / 4 ? nullptr : realloc(buffer_, wanted);
  if (grown == nullptr) {
    job_->fail(OL_PDF_OUT_OF_MEMORY, "out of memory");
    return false;
  }
  buffer_ = static_cast<uint8_t *>(grown);
  capacity_ = wanted;
  return true;
}

/*
 * Tells when an exception is safe: libqpdf announces a stream by separate writes of " /Length ",
 * of a number, and of the line "stream", then writes the data from ordinary code and only its last
 * few bytes, which a cipher held back, from a destructor. The first write is no place for one
 * either: it may be an IV, written by a cipher that is not ready yet but will be asked to finish.
 */
void Sink::notice(const unsigned char *data, size_t length) {
  static const char key[] = " /Length ";
  static const char start[] = "\nstream\n";
  if (length_follows_) {
    length_follows_ = false;
    stream_length_ = 0;
    for (size_t i = 0; i < length && data[i] >= '0' && data[i] <= '9'; i++) {
      stream_length_ = stream_length_ * 10 + (data[i] - '0');
    }
  } else if (length == sizeof key - 1 && memcmp(data, key, length) == 0) {
    length_follows_ = true;
  } else if (length == sizeof start - 1 && memcmp(data, start, length) == 0) {
    stream_left_ = stream_length_;
    stream_length_ = 0;
    stream_started_ = false;
  }
}

void Sink::write(const unsigned char *data, size_t length) {
  if (job_->status() != OL_PDF_OK) return;
  if (stream_left_ == 0) {
    notice(data, length);
  } else {
    stream_left_ -= std::min<uint64_t>(length, stream_left_);
    if (stream_started_ && stream_left_ > FINISH_MAX) job_->poll();
    stream_started_ = true;
  }
  put(data, length);
}

void Sink::put(const unsigned char *data, size_t length) {
  if (path_ == nullptr) {
    if (!reserve(length)) return;
  } else if (capacity_ - used_ < length) {
    flush();
    if (length >= capacity_) {
      ol_system_error error = {0, nullptr};
      if (!ol_target_file_write(&file_, data, length, &error)) job_->fail(error, path_, "");
      flushed_ += length;
      return;
    }
  }
  memcpy(buffer_ + used_, data, length);
  used_ += length;
}

void Sink::flush() {
  if (path_ == nullptr || used_ == 0) return;
  ol_system_error error = {0, nullptr};
  if (!job_->stopping() && !ol_target_file_write(&file_, buffer_, used_, &error)) {
    job_->fail(error, path_, "the target");
  }
  flushed_ += used_;
  used_ = 0;
}

size_t Sink::read(uint64_t offset, void *out, size_t length) {
  if (path_ != nullptr) {
    ol_source_file view = {file_.fd, flushed_};
    ol_system_error error = {0, nullptr};
    size_t n = 0;
    if (ol_source_file_read(&view, offset, out, length, &n, &error)) return n;
    job_->fail(error, path_, "the target");
    throw Stop();
  }
  if (offset >= used_) return 0;
  size_t n = std::min(length, used_ - static_cast<size_t>(offset));
  memcpy(out, buffer_ + offset, n);
  return n;
}

void Sink::commit() {
  job_->report().bytes_written = size();
  if (path_ == nullptr) {
    void *fitting = realloc(buffer_, used_);
    job_->report().data = fitting != nullptr ? static_cast<uint8_t *>(fitting) : buffer_;
    buffer_ = nullptr;
    return;
  }
  ol_system_error error = {0, nullptr};
  if (!ol_target_file_commit(&file_, &error)) {
    job_->fail(error, path_, "the target");
    throw Stop();
  }
}

}  // namespace offloop

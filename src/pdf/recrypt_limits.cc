#include "recrypt_limits.h"

#include <string.h>

#include <algorithm>
#include <stdexcept>

#include <qpdf/Pl_Flate.hh>
#include <qpdf/QPDFObjectHandle.hh>
#include <qpdf/QPDFStreamFilter.hh>

namespace offloop {

namespace {

/* Object streams that compress better than this, past their first megabyte, are there to harm. */
constexpr uint64_t FREE_BYTES = 1 << 20;
constexpr uint64_t RATIO_MAX = 100;
constexpr uint64_t DECODED_MAX = 1 << 26;
constexpr int ROW_MAX = 1 << 16;

thread_local Job *current_job = nullptr;

/* Undoes the PNG predictors (ISO 32000-2, 7.4.4.4; PNG, 9). */
class PngRows : public Pipeline {
 public:
  PngRows(Pipeline *next, size_t pixel, size_t row)
      : Pipeline("png rows", next), pixel_(pixel), row_(row + 1), above_(row + 1) {
  }

  void write(const unsigned char *data, size_t length) override {
    while (length != 0) {
      size_t n = std::min(length, row_.size() - filled_);
      memcpy(row_.data() + filled_, data, n);
      filled_ += n;
      data += n;
      length -= n;
      if (filled_ == row_.size()) row_put();
    }
  }
  using Pipeline::write;

  void finish() override {
    if (filled_ != 0) {
      std::fill(row_.begin() + static_cast<std::ptrdiff_t>(filled_), row_.end(), uint8_t{0});
      row_put();
    }
    getNext()->finish();
  }

 private:
  static int paeth(int left, int up, int corner) {
    int estimate = left + up - corner;
    int to_left = std::abs(estimate - left);
    int to_up = std::abs(estimate - up);
    int to_corner = std::abs(estimate - corner);
    if (to_left <= to_up && to_left <= to_corner) return left;
    return to_up <= to_corner ? up : corner;
  }

  void row_put() {
    uint8_t kind = row_[0];
    for (size_t i = 1; i < row_.size(); i++) {
      int left = i > pixel_ ? row_[i - pixel_] : 0;
      int up = above_[i];
      int corner = i > pixel_ ? above_[i - pixel_] : 0;
      int predicted = 0;
      if (kind == 1) predicted = left;
      if (kind == 2) predicted = up;
      if (kind == 3) predicted = (left + up) / 2;
      if (kind == 4) predicted = paeth(left, up, corner);
      row_[i] = static_cast<uint8_t>(row_[i] + predicted);
    }
    getNext()->write(row_.data() + 1, row_.size() - 1);
    row_.swap(above_);
    filled_ = 0;
  }

  size_t pixel_;
  std::vector<uint8_t> row_; /* Its first byte says how it was predicted. */
  std::vector<uint8_t> above_;
  size_t filled_ = 0;
};

/* Inflates within bounds. */
class BoundedInflate : public Pipeline {
 public:
  explicit BoundedInflate(Pipeline *next)
      : Pipeline("inflate", next),
        counter_(this, next),
        flate_("flate", &counter_, Pl_Flate::a_inflate) {
    flate_.setWarnCallback([](const char *, int) { damage_note("compressed data ends early"); });
  }

  void write(const unsigned char *data, size_t length) override {
    if (failed_) return;
    in_ += length;
    try {
      flate_.write(data, length);
    } catch (const std::exception &) {
      failed_ = true;
      throw;
    }
  }
  using Pipeline::write;

  void finish() override {
    try {
      flate_.finish();
    } catch (const std::exception &) {
      damage_note("compressed data is broken");
    }
  }

 private:
  class Counter : public Pipeline {
   public:
    Counter(BoundedInflate *owner, Pipeline *next) : Pipeline("counter", next), owner_(owner) {
    }
    void write(const unsigned char *data, size_t length) override {
      out_ += length;
      if (current_job != nullptr) check();
      getNext()->write(data, length);
    }
    using Pipeline::write;
    void finish() override {
      getNext()->finish();
    }

   private:
    void check() {
      current_job->poll();
      if (out_ <= std::min(FREE_BYTES + RATIO_MAX * owner_->in_, DECODED_MAX)) return;
      current_job->fail(OL_PDF_UNREADABLE, "a compressed stream is too large when decompressed");
      throw Stop();
    }

    BoundedInflate *owner_;
    uint64_t out_ = 0;
  };

  static void damage_note(const char *message) {
    if (current_job == nullptr || current_job->document() == nullptr) return;
    current_job->document()->warn(qpdf_e_damaged_pdf, "", 0, message);
  }

  Counter counter_;
  Pl_Flate flate_;
  uint64_t in_ = 0;
  bool failed_ = false;
};

class FlateFilter : public QPDFStreamFilter {
 public:
  bool setDecodeParms(QPDFObjectHandle parameters) override {
    if (parameters.isNull()) return true;
    if (!parameters.isDictionary()) return false;
    int predictor = number(parameters, "/Predictor", 1);
    if (predictor == 1) return true;
    int columns = number(parameters, "/Columns", 1);
    int colors = number(parameters, "/Colors", 1);
    int bits = number(parameters, "/BitsPerComponent", 8);
    if (predictor < 10 || predictor > 15 || columns < 1 || columns > ROW_MAX || colors < 1 ||
        colors > 32 || bits < 1 || bits > 16) {
      return false;
    }
    pixel_ = static_cast<size_t>((colors * bits + 7) / 8);
    row_ = static_cast<size_t>((static_cast<int64_t>(columns) * colors * bits + 7) / 8);
    return row_ <= ROW_MAX;
  }

  Pipeline *getDecodePipeline(Pipeline *next) override {
    if (row_ != 0) {
      rows_.reset(new PngRows(next, pixel_, row_));
      next = rows_.get();
    }
    inflate_.reset(new BoundedInflate(next));
    return inflate_.get();
  }

 private:
  static int number(QPDFObjectHandle &parameters, const char *key, int otherwise) {
    QPDFObjectHandle value = parameters.getKey(key);
    if (value.isNull()) return otherwise;
    return value.isInteger() ? value.getIntValueAsInt() : 0;
  }

  size_t pixel_ = 0;
  size_t row_ = 0; /* Bytes of a row; 0 without a predictor. */
  std::unique_ptr<PngRows> rows_;
  std::unique_ptr<BoundedInflate> inflate_;
};

/* Decoders that nothing but pictures and page contents need, and that know no bounds. */
class NoFilter : public QPDFStreamFilter {
 public:
  bool setDecodeParms(QPDFObjectHandle) override {
    return false;
  }
  Pipeline *getDecodePipeline(Pipeline *) override {
    return nullptr;
  }
};

}  // namespace

void limits_install() {
  QPDF::registerStreamFilter("/FlateDecode", [] { return std::make_shared<FlateFilter>(); });
  for (const char *name : {"/LZWDecode", "/RunLengthDecode", "/DCTDecode"}) {
    QPDF::registerStreamFilter(name, [] { return std::make_shared<NoFilter>(); });
  }
}

JobScope::JobScope(Job *job) : before_(current_job) {
  current_job = job;
  job->stack_begin();
}

JobScope::~JobScope() {
  current_job = before_;
}

}  // namespace offloop

/*
 * Bounds on what libqpdf does at a document's word. C++, private to recrypt*.cc.
 */
#ifndef OL_PDF_RECRYPT_LIMITS_H
#define OL_PDF_RECRYPT_LIMITS_H

#include "recrypt_io.h"

namespace offloop {

/*
 * Replaces libqpdf's decoders for the process; once. In a job only object streams and cross-
 * reference streams are decoded, so Flate with PNG predictors is all that is offered. What it
 * decodes stays within bounds, and broken data never makes it throw when it is asked to finish,
 * after which libqpdf would use a cipher that it has freed.
 */
void limits_install();

/* While it lives, decoding on this thread is on behalf of this job. */
class JobScope {
 public:
  explicit JobScope(Job *job);
  ~JobScope();
  JobScope(const JobScope &) = delete;
  JobScope &operator=(const JobScope &) = delete;

 private:
  Job *before_;
};

}  // namespace offloop

#endif

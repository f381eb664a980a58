/*
 * Between libqpdf's documents and the standard security handler. C++, private to recrypt*.cc.
 */
#ifndef OL_PDF_RECRYPT_SECURITY_H
#define OL_PDF_RECRYPT_SECURITY_H

#include "recrypt_io.h"

#include <qpdf/QPDFWriter.hh>

namespace offloop {

/* What a document says of its encryption. `entries.id` points into `id`. */
struct Security {
  Security() = default;
  Security(const Security &) = delete;
  Security &operator=(const Security &) = delete;

  int version = 0;
  ol_pdf_method method = OL_PDF_METHOD_NONE;
  std::string id;
  ol_handler_entries entries = {};
  /* The sizes of key that may be meant, likeliest first; 0 ends them. */
  int key_sizes[4] = {0, 0, 0, 0};
};

/* A file key, wiped at the end. */
struct FileKey {
  FileKey() = default;
  FileKey(const FileKey &) = delete;
  FileKey &operator=(const FileKey &) = delete;
  ~FileKey();

  std::string hex(int key_bytes) const;

  uint8_t bytes[OL_HANDLER_KEY_MAX] = {};
};

void wipe(std::string *text);

/* The first half of the document's /ID, or nothing. */
std::string document_id(QPDF &document);

/* Reads the encryption of a document that was opened with a raw key and has some. */
void security_read(QPDF &document, Security *security);

/*
 * Tries passwords in turn, one empty one where there are none. True where one opens the
 * document: then its key, key_bytes and opens_as are set. Stops the job if OpenSSL fails.
 */
bool security_unlock(Job *job, const ol_password *passwords, size_t count, Security *security,
                     FileKey *key, unsigned *opens_as);

/* Names a security handler or revision that libqpdf refused. */
std::string security_describe(QPDF &document);

/* Sets up a writer for the options' encryption. Stops the job on options that cannot be met. */
void security_write(Job *job, QPDF &document, QPDFWriter &writer, const ol_pdf_options &options);

/* Checks that the output is encrypted as the options ask; a mistake here would give a secret away.
 */
void security_verify(Job *job, Sink *sink, const ol_pdf_options &options);

}  // namespace offloop

#endif

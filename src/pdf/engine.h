/*
 * Chooses who rewrites a document: the engine of fast.h where it can, libqpdf for all the rest.
 * Both obey the same options and fill the same report.
 *
 * Any thread. The choice and the counts are the process's.
 */
#ifndef OL_PDF_ENGINE_H
#define OL_PDF_ENGINE_H

#include <stdint.h>

#include "recrypt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  OL_PDF_ENGINE_AUTO = 0,
  OL_PDF_ENGINE_FAST, /* What it does not take is OL_PDF_NOT_SUPPORTED. */
  OL_PDF_ENGINE_QPDF
} ol_pdf_engine;

/* How many documents each engine took, failed ones included. */
typedef struct {
  uint64_t fast;
  uint64_t qpdf;
} ol_pdf_engine_counts;

/* ol_pdf_recrypt's contract, by whichever engine. */
ol_pdf_status ol_pdf_engine_recrypt(const ol_pdf_options *options, ol_pdf_report *report);

/* For tests and benchmarks: who does the jobs that start from now on. Returns who did so far. */
ol_pdf_engine ol_pdf_engine_force(ol_pdf_engine engine);

ol_pdf_engine ol_pdf_engine_chosen(void);

ol_pdf_engine_counts ol_pdf_engine_count(void);

#ifdef __cplusplus
}
#endif

#endif

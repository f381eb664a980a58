/**
 * The rewriting engine: changes a document's encryption without rebuilding the document. Takes
 * only documents that are plainly what the standard says, and steps aside for all others before
 * a byte of output exists; libqpdf then does the job.
 *
 * Pure C over OpenSSL. Any thread, several jobs at once.
 */
#ifndef OL_PDF_FAST_H
#define OL_PDF_FAST_H

#include <stdbool.h>

#include "recrypt.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Does the job of ol_pdf_recrypt if it can. True: taken, and `*status` and the report tell what
 * came of it. False: not taken; the target is untouched and the report as it was.
 */
bool ol_pdf_fast_recrypt(const ol_pdf_options *options, ol_pdf_report *report,
                         ol_pdf_status *status);

#ifdef __cplusplus
}
#endif

#endif

#include "engine.h"

#include <stdatomic.h>
#include <stdio.h>

#include "fast.h"

static atomic_int chosen = OL_PDF_ENGINE_AUTO;
static atomic_uint_least64_t fast_count, qpdf_count;

static void count(atomic_uint_least64_t *counter) {
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

ol_pdf_engine ol_pdf_engine_chosen(void) {
  return (ol_pdf_engine)atomic_load_explicit(&chosen, memory_order_relaxed);
}

ol_pdf_status ol_pdf_engine_recrypt(const ol_pdf_options *options, ol_pdf_report *report) {
  ol_pdf_engine engine = ol_pdf_engine_chosen();
  ol_pdf_status status = OL_PDF_OK;
  *report = (ol_pdf_report){0};
  if (engine != OL_PDF_ENGINE_QPDF && ol_pdf_fast_recrypt(options, report, &status)) {
    count(&fast_count);
    return status;
  }
  if (engine == OL_PDF_ENGINE_FAST) {
    snprintf(report->message, sizeof(report->message), "the fast engine does not take it");
    return OL_PDF_NOT_SUPPORTED;
  }
  count(&qpdf_count);
  return ol_pdf_recrypt(options, report);
}

ol_pdf_engine ol_pdf_engine_force(ol_pdf_engine engine) {
  return (ol_pdf_engine)atomic_exchange_explicit(&chosen, (int)engine, memory_order_relaxed);
}

ol_pdf_engine_counts ol_pdf_engine_count(void) {
  return (ol_pdf_engine_counts){atomic_load_explicit(&fast_count, memory_order_relaxed),
                                atomic_load_explicit(&qpdf_count, memory_order_relaxed)};
}

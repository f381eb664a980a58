/* What tests and benchmarks want of recrypt besides the operation. */
#ifndef OL_OP_RECRYPT_H
#define OL_OP_RECRYPT_H

#include <node_api.h>

/* pdfEngine(wanted?): 'auto', 'fast' or 'qpdf', in the whole process; what was in force until
 * now. With 'fast', a document that the engine does not take is ERR_OFFLOOP_PDF_UNSUPPORTED. */
napi_value ol_recrypt_engine(napi_env napi, napi_callback_info info);

/* pdfEngineCounts(): { fast, qpdf }, how many documents each took in the whole process. */
napi_value ol_recrypt_engine_counts(napi_env napi, napi_callback_info info);

#endif

#include <stdio.h>
#include <string.h>

#include "core/cipher.h"
#include "core/digest.h"
#include "env.h"
#include "errors.h"
#include "job.h"
#include "op_checksum.h"
#include "op_recrypt.h"
#include "op_stream.h"
#include "pool.h"

#define NAME_MAX_BYTES 64

/* holdStores(wanted): for tests; see hold.h. */
static napi_value hold_stores(napi_env napi, napi_callback_info info) {
  size_t count = 1;
  napi_value argument, value = NULL;
  bool wanted = false;
  if (napi_get_cb_info(napi, info, &count, &argument, NULL, NULL) != napi_ok) return NULL;
  napi_get_value_bool(napi, argument, &wanted);
  napi_get_boolean(napi, ol_hold_stores(wanted), &value);
  return value;
}

/* setup(deliver, makeError, ring): once per environment, before any operation. */
static napi_value setup(napi_env napi, napi_callback_info info) {
  enum { DELIVER, MAKE_ERROR, RING, COUNT };
  void *data, *ring;
  size_t count = COUNT;
  napi_value arguments[COUNT];
  if (napi_get_cb_info(napi, info, &count, arguments, NULL, &data) != napi_ok) return NULL;
  ol_env *env = data;
  napi_create_reference(napi, arguments[DELIVER], 1, &env->deliver);
  napi_create_reference(napi, arguments[MAKE_ERROR], 1, &env->make_error);
  napi_create_reference(napi, arguments[RING], 1, &env->ring_ref);
  napi_get_typedarray_info(napi, arguments[RING], NULL, NULL, &ring, NULL, NULL);
  env->ring = ring;
  return NULL;
}

static napi_value flush(napi_env napi, napi_callback_info info) {
  void *data;
  if (napi_get_cb_info(napi, info, NULL, NULL, NULL, &data) == napi_ok) ol_pool_flush(data);
  return NULL;
}

static napi_value exit_env(napi_env napi, napi_callback_info info) {
  void *data;
  if (napi_get_cb_info(napi, info, NULL, NULL, NULL, &data) == napi_ok) ol_env_exit(data);
  return NULL;
}

/* timing(wanted): whether jobs submitted from now on take their times. */
static napi_value timing(napi_env napi, napi_callback_info info) {
  void *data;
  size_t count = 1;
  napi_value argument;
  if (napi_get_cb_info(napi, info, &count, &argument, NULL, &data) != napi_ok) return NULL;
  napi_get_value_bool(napi, argument, &((ol_env *)data)->timed);
  return NULL;
}

static napi_value is_detached(napi_env napi, napi_callback_info info) {
  size_t count = 1;
  napi_value argument, value = NULL;
  bool detached = false;
  if (napi_get_cb_info(napi, info, &count, &argument, NULL, NULL) != napi_ok) return NULL;
  napi_is_detached_arraybuffer(napi, argument, &detached);
  napi_get_boolean(napi, detached, &value);
  return value;
}

static bool name_argument(napi_env napi, napi_callback_info info, char name[NAME_MAX_BYTES]) {
  size_t count = 1, length = 0;
  napi_value argument;
  if (napi_get_cb_info(napi, info, &count, &argument, NULL, NULL) != napi_ok) return false;
  if (napi_get_value_string_utf8(napi, argument, NULL, 0, &length) != napi_ok) return false;
  if (length >= NAME_MAX_BYTES) return false;
  if (napi_get_value_string_utf8(napi, argument, name, NAME_MAX_BYTES, NULL) != napi_ok) {
    return false;
  }
  /* A name with a NUL in it is not the name in front of that, nor is one with a space behind it,
   * which OpenSSL 3.5 overlooks. */
  return strlen(name) == length && strchr(name, ' ') == NULL;
}

static void set_number(napi_env napi, napi_value object, const char *name, uint32_t number) {
  napi_value value;
  if (napi_create_uint32(napi, number, &value) != napi_ok) return;
  napi_set_named_property(napi, object, name, value);
}

static void set_bool(napi_env napi, napi_value object, const char *name, bool flag) {
  napi_value value;
  if (napi_get_boolean(napi, flag, &value) != napi_ok) return;
  napi_set_named_property(napi, object, name, value);
}

/* findDigest(name): { id, size, extendable, hmac }, or undefined. */
static napi_value find_digest(napi_env napi, napi_callback_info info) {
  char name[NAME_MAX_BYTES];
  napi_value value = NULL;
  if (!name_argument(napi, info, name)) return NULL;
  const ol_digest *digest = ol_digest_find(name);
  if (digest == NULL || napi_create_object(napi, &value) != napi_ok) return NULL;
  set_number(napi, value, "id", digest->id);
  set_number(napi, value, "size", digest->size);
  set_bool(napi, value, "extendable", digest->extendable);
  set_bool(napi, value, "hmac", digest->keyed);
  return value;
}

/* findCipher(name): { id, keySize, ivSize, aead, gcm, bigEndian }, or undefined. */
static napi_value find_cipher(napi_env napi, napi_callback_info info) {
  char name[NAME_MAX_BYTES];
  napi_value value = NULL;
  if (!name_argument(napi, info, name)) return NULL;
  const ol_cipher *cipher = ol_cipher_find(name);
  if (cipher == NULL || napi_create_object(napi, &value) != napi_ok) return NULL;
  set_number(napi, value, "id", cipher->id);
  set_number(napi, value, "keySize", cipher->key_size);
  set_number(napi, value, "ivSize", cipher->iv_size);
  set_bool(napi, value, "aead", cipher->aead);
  set_bool(napi, value, "gcm", cipher->mode == OL_MODE_GCM);
  set_bool(napi, value, "bigEndian", cipher->mode == OL_MODE_CTR);
  return value;
}

/* stats(): { queued, running, completed, cancelled, threads } of this environment. */
static napi_value stats(napi_env napi, napi_callback_info info) {
  void *data;
  napi_value value, number;
  if (napi_get_cb_info(napi, info, NULL, NULL, NULL, &data) != napi_ok) return NULL;
  ol_env *env = data;
  ol_pool_counts counts = ol_pool_count(env);
  const struct {
    const char *name;
    double count;
  } rows[] = {{"queued", (double)counts.queued},
              {"running", (double)(env->pending - counts.queued)},
              {"completed", (double)env->completed},
              {"cancelled", (double)env->cancelled},
              {"threads", (double)counts.threads}};
  if (napi_create_object(napi, &value) != napi_ok) return NULL;
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    if (napi_create_double(napi, rows[i].count, &number) != napi_ok) return NULL;
    if (napi_set_named_property(napi, value, rows[i].name, number) != napi_ok) return NULL;
  }
  return value;
}

/* concurrency(wanted?): sets it where given; what is in force. */
static napi_value concurrency(napi_env napi, napi_callback_info info) {
  size_t count = 1;
  napi_value argument, value = NULL;
  uint32_t wanted = 0;
  if (napi_get_cb_info(napi, info, &count, &argument, NULL, NULL) != napi_ok) return NULL;
  unsigned now = count == 1 && napi_get_value_uint32(napi, argument, &wanted) == napi_ok
                     ? ol_pool_set_concurrency(wanted)
                     : ol_pool_concurrency();
  napi_create_uint32(napi, now, &value);
  return value;
}

static bool export_function(napi_env napi, napi_value exports, const char *name,
                            napi_callback function, void *data) {
  napi_value value;
  return napi_create_function(napi, name, NAPI_AUTO_LENGTH, function, data, &value) == napi_ok &&
         napi_set_named_property(napi, exports, name, value) == napi_ok;
}

/* Each operation becomes exports.name, exports.nameAsync and exports.nameCheck. */
static bool export_operations(napi_env napi, napi_value exports, ol_env *env) {
  static const struct {
    const char *suffix;
    napi_callback function;
  } calls[] = {{"", ol_job_call}, {"Async", ol_job_submit}, {"Check", ol_job_check}};
  for (size_t i = 0; ol_operations[i] != NULL; i++) {
    ol_binding *binding = &env->bindings[i];
    *binding = (ol_binding){env, ol_operations[i]};
    if (binding->operation->argument_count > OL_ARGUMENTS_MAX) return false;
    for (size_t k = 0; k < sizeof(calls) / sizeof(calls[0]); k++) {
      char name[NAME_MAX_BYTES];
      snprintf(name, sizeof(name), "%s%s", binding->operation->name, calls[k].suffix);
      if (!export_function(napi, exports, name, calls[k].function, binding)) return false;
    }
  }
  return true;
}

static bool export_all(napi_env napi, napi_value exports, ol_env *env) {
  const struct {
    const char *name;
    napi_callback function;
  } rows[] = {{"setup", setup},
              {"exit", exit_env},
              {"flush", flush},
              {"cancel", ol_job_cancel},
              {"stats", stats},
              {"findDigest", find_digest},
              {"findCipher", find_cipher},
              {"isDetached", is_detached},
              {"timing", timing},
              {"concurrency", concurrency},
              {"holdStores", hold_stores},
              {"crcs", ol_checksum_crcs},
              {"crcKernels", ol_checksum_kernels},
              {"crcForce", ol_checksum_force},
              {"pdfEngine", ol_recrypt_engine},
              {"pdfEngineCounts", ol_recrypt_engine_counts},
              {"streamClose", ol_stream_close}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    if (!export_function(napi, exports, rows[i].name, rows[i].function, env)) return false;
  }
  return export_operations(napi, exports, env) && ol_errors_export(napi, exports) == napi_ok;
}

NAPI_MODULE_INIT() {
  ol_hold_init();
  ol_env *owner = ol_pool_init() ? ol_env_create(env) : NULL;
  if (owner == NULL || !export_all(env, exports, owner)) {
    napi_throw_error(env, "ERR_OFFLOOP_LOAD", "offloop could not be set up: no memory");
  }
  return exports;
}

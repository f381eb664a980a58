#include "hold.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

static bool stores_found;
static atomic_bool stores_held;

void ol_hold_init(void) {
  stores_found = ol_store_find();
  stores_held = stores_found;
}

bool ol_hold_stores(bool wanted) {
  stores_held = stores_found && wanted;
  return stores_held;
}

bool ol_hold_take(ol_hold *hold, napi_env env, napi_value view, napi_value buffer, ol_hold_use use,
                  ol_bytes *bytes) {
  if (bytes->size == 0) return true;
  if (stores_held && ol_store_take(hold->store, buffer)) return true;
  hold->copy = malloc(bytes->size);
  if (hold->copy == NULL) return false;
  hold->size = bytes->size;
  memcpy(hold->copy, bytes->data, bytes->size);
  bytes->data = hold->copy;
  return use == OL_HOLD_READ || napi_create_reference(env, view, 1, &hold->view) == napi_ok;
}

static void write_back(ol_hold *hold, napi_env env) {
  napi_handle_scope scope;
  if (napi_open_handle_scope(env, &scope) != napi_ok) return;
  napi_value view = NULL;
  void *data = NULL;
  size_t size = 0;
  if (napi_get_reference_value(env, hold->view, &view) == napi_ok && view != NULL &&
      napi_get_buffer_info(env, view, &data, &size) == napi_ok && size >= hold->size) {
    memcpy(data, hold->copy, hold->size);
  }
  napi_delete_reference(env, hold->view);
  napi_close_handle_scope(env, scope);
}

void ol_hold_release(ol_hold *hold, napi_env env) {
  if (hold->store[0] != NULL) ol_store_drop(hold->store);
  if (hold->view != NULL) write_back(hold, env);
  if (hold->copy != NULL) {
    OPENSSL_cleanse(hold->copy, hold->size);
    free(hold->copy);
  }
  *hold = (ol_hold){{NULL, NULL}, NULL, 0, NULL};
}

#include <memory>
#include <new>

#include "store.h"

#if defined(_WIN32)

/* MSVC passes `this` and a returned object in other registers for members than for functions. */
bool ol_store_find(void) {
  return false;
}
bool ol_store_take(void *[2], napi_value) {
  return false;
}
void ol_store_drop(void *[2]) {
}

#else

#include <dlfcn.h>

namespace {

struct Store;
using Held = std::shared_ptr<Store>;
static_assert(sizeof(Held) == 2 * sizeof(void *), "a shared_ptr is a pointer and its count");

/* std::shared_ptr<BackingStore> v8::ArrayBuffer::GetBackingStore(): a member function, whose `this`
 * is the handle's slot, which is what a napi_value points to. */
using GetBackingStore = Held (*)(void *self);
GetBackingStore get_backing_store;

}  // namespace

bool ol_store_find(void) {
  get_backing_store = reinterpret_cast<GetBackingStore>(
      dlsym(RTLD_DEFAULT, "_ZN2v811ArrayBuffer15GetBackingStoreEv"));
  return get_backing_store != nullptr;
}

bool ol_store_take(void *store[2], napi_value buffer) {
  Held *held = new (store) Held(get_backing_store(buffer));
  if (*held) return true;
  held->~Held();
  store[0] = store[1] = nullptr;
  return false;
}

void ol_store_drop(void *store[2]) {
  reinterpret_cast<Held *>(store)->~Held();
  store[0] = store[1] = nullptr;
}

#endif

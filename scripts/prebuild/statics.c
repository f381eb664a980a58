/*
 * Part of the prebuilt binary only: lets no destructor of a static object run. The binary is never
 * unloaded, so they would run when the process exits, while threads of the pool may still use what
 * they destroy.
 */
int __cxa_atexit(void (*function)(void *), void *argument, void *library);

__attribute__((visibility("hidden"))) int __cxa_atexit(void (*function)(void *), void *argument,
                                                       void *library) {
  (void)function;
  (void)argument;
  (void)library;
  return 0;
}

/*
 * A function that runs once per process, whichever thread comes first; the others wait for it.
 *
 *   static ol_once guard = OL_ONCE_INIT;
 *   ol_once_run(&guard, build_tables);
 */
#ifndef OL_CORE_RUN_ONCE_H
#define OL_CORE_RUN_ONCE_H

#ifdef _WIN32

#include <windows.h>

typedef INIT_ONCE ol_once;
#define OL_ONCE_INIT INIT_ONCE_STATIC_INIT

static inline BOOL CALLBACK ol_once_call(PINIT_ONCE once, PVOID function, PVOID *context) {
  (void)once;
  (void)context;
  ((void (*)(void))function)();
  return TRUE;
}

static inline void ol_once_run(ol_once *once, void (*function)(void)) {
  InitOnceExecuteOnce(once, ol_once_call, (PVOID)function, NULL);
}

#else

#include <pthread.h>

typedef pthread_once_t ol_once;
#define OL_ONCE_INIT PTHREAD_ONCE_INIT

static inline void ol_once_run(ol_once *once, void (*function)(void)) {
  pthread_once(once, function);
}

#endif

#endif

#include "big_stack.h"

#include <pthread.h>
#include <signal.h>

typedef struct {
  void (*body)(void *context);
  void *context;
} task;

static void *task_run(void *memory) {
  task *t = memory;
  t->body(t->context);
  return NULL;
}

bool ol_big_stack_run(size_t size, void (*body)(void *context), void *context) {
  task t = {body, context};
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, before;
  if (pthread_attr_init(&attributes) != 0) return false;
  /* Signals are the process's business, not of a thread that nobody knows. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool made = pthread_attr_setstacksize(&attributes, size) == 0 &&
              pthread_create(&thread, &attributes, task_run, &t) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (made) pthread_join(thread, NULL);
  return made;
}

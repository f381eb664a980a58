/*
 * Checks for a native test: CHECK counts a condition and reports one that does not hold;
 * check_summary() prints the totals and is main's return value.
 */
#ifndef OL_TEST_CHECK_H
#define OL_TEST_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

enum { CHECK_REPORTS_MAX = 20 };

static unsigned long check_passed, check_failed;

/* Counts `held`; what it was about is printed as by printf if it did not hold. */
__attribute__((format(printf, 4, 5), unused)) static bool check_that(bool held, const char *file,
                                                                     int line, const char *format,
                                                                     ...) {
  if (held) {
    check_passed++;
    return true;
  }
  if (check_failed++ < CHECK_REPORTS_MAX) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
  }
  return false;
}

#define CHECK(condition) check_that(condition, __FILE__, __LINE__, "%s", #condition)
#define CHECK_MESSAGE(condition, ...) check_that(condition, __FILE__, __LINE__, __VA_ARGS__)

__attribute__((unused)) static int check_summary(void) {
  printf("%lu passed, %lu failed\n", check_passed, check_failed);
  return check_failed == 0 && check_passed > 0 ? 0 : 1;
}

#endif

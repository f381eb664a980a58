/*
 * Files and descriptors without Node: sizes around the piece that is read at a time, everything
 * that is no file, a pipe that is full or broken.
 */
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/offloop-file-test-XXXXXX";
static ol_flag cancel;
static ol_failure failure;

static ol_run run_new(void) {
  return (ol_run){NULL, &cancel, &failure, 0};
}

static char *path_of(const char *name) {
  static char path[sizeof(folder) + 32];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  return path;
}

static ol_crc_sum sum_new(void) {
  return (ol_crc_sum){ol_crc_find("crc32c"), 0};
}

typedef struct {
  ol_crc_sum sum;
  size_t size, pieces, largest;
  bool cancels; /* after the first piece */
} taken;

static ol_status take(void *context, ol_bytes piece, ol_run *run) {
  taken *self = context;
  (void)run;
  ol_crc_sum_add(&self->sum, piece.data, piece.size);
  self->size += piece.size;
  self->pieces++;
  if (piece.size > self->largest) self->largest = piece.size;
  if (self->cancels) ol_flag_set(&cancel);
  return OL_OK;
}

/* Writes a file by ol_file_write and reads it again. */
static void test_sizes(void) {
  static const size_t sizes[] = {0,
                                 1,
                                 OL_FILE_WRITE - 1,
                                 OL_FILE_WRITE,
                                 OL_FILE_WRITE + 1,
                                 OL_FILE_READ,
                                 OL_FILE_READ + 1,
                                 3 * OL_FILE_READ + 77};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    size_t size = sizes[i];
    uint8_t *data = malloc(size + 1);
    for (size_t k = 0; k < size; k++)
      data[k] = (uint8_t)(k * 7 + k / 1000);
    ol_run run = run_new();
    ol_crc_sum written = sum_new(), whole = sum_new();
    taken read = {.sum = sum_new()};
    int descriptor = open(path_of("file"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(ol_file_write(descriptor, (ol_bytes){data, size}, -1, &written, &run) == OL_OK);
    CHECK(ol_file_read(path_of("file"), take, &read, &run) == OL_OK);
    ol_crc_sum_add(&whole, data, size);
    CHECK(written.value == whole.value && read.sum.value == whole.value && read.size == size);
    CHECK(read.largest <= OL_FILE_READ);

    ol_crc_sum again = sum_new();
    CHECK(ol_file_write(descriptor, (ol_bytes){data, size}, 5, &again, &run) == OL_OK);
    CHECK(lseek(descriptor, 0, SEEK_CUR) == (off_t)size);
    CHECK(lseek(descriptor, 0, SEEK_END) == (off_t)(size == 0 ? 0 : size + 5));
    close(descriptor);
    free(data);
  }
}

static void check_error(const char *path, ol_status status, int number, const char *syscall) {
  ol_run run = run_new();
  taken read = {.sum = sum_new()};
  CHECK_MESSAGE(ol_file_read(path, take, &read, &run) == status, "%s", path);
  CHECK(read.pieces == 0);
  if (status != OL_SYSTEM) return;
  CHECK(failure.error_number == number && strcmp(failure.syscall, syscall) == 0);
  CHECK(failure.path == path && failure.written == -1);
}

static void test_no_files(void) {
  check_error(path_of("nothing"), OL_SYSTEM, ENOENT, "open");
  check_error(folder, OL_SYSTEM, EISDIR, "read");
  check_error("/dev/zero", OL_ARG_VALUE, 0, NULL);
  CHECK(mkfifo(path_of("pipe"), 0600) == 0);
  check_error(path_of("pipe"), OL_ARG_VALUE, 0, NULL);
  unlink(path_of("pipe"));
}

static void test_cancel(void) {
  ol_run run = run_new();
  taken read = {.sum = sum_new(), .cancels = true};
  CHECK(truncate(path_of("file"), 10 * OL_FILE_READ) == 0);
  CHECK(ol_file_read(path_of("file"), take, &read, &run) == OL_CANCELLED);
  CHECK(read.pieces == 1);
  ol_crc_sum sum = sum_new();
  CHECK(ol_file_write(STDERR_FILENO, (ol_bytes){NULL, 0}, -1, &sum, &run) == OL_CANCELLED);
  atomic_store(&cancel, 0);
}

static void test_bad_descriptor(void) {
  ol_run run = run_new();
  uint8_t byte = 0;
  for (size_t size = 0; size <= 1; size++) {
    ol_crc_sum sum = sum_new();
    CHECK(ol_file_write(-1, (ol_bytes){&byte, size}, -1, &sum, &run) == OL_SYSTEM);
    CHECK(failure.error_number == EBADF && failure.written == 0 && failure.path == NULL);
  }
}

static void nap(void) {
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

typedef struct {
  int descriptor;
  size_t most; /* reads so much, then closes */
  ol_crc_sum sum;
} reader;

static void *read_slowly(void *context) {
  reader *self = context;
  uint8_t buffer[30000];
  for (size_t size = 0; size < self->most;) {
    size_t left = self->most - size;
    ssize_t count = read(self->descriptor, buffer, left < sizeof(buffer) ? left : sizeof(buffer));
    if (count <= 0) break;
    ol_crc_sum_add(&self->sum, buffer, (size_t)count);
    size += (size_t)count;
    nap();
  }
  close(self->descriptor);
  return NULL;
}

static void *cancel_soon(void *context) {
  (void)context;
  for (int i = 0; i < 20; i++)
    nap();
  ol_flag_set(&cancel);
  return NULL;
}

/* A pipe that takes less than all, is full at times, breaks, or is never read. */
static void test_pipes(void) {
  enum { SIZE = 1000000 };
  static uint8_t data[SIZE];
  int ends[2];
  pthread_t thread;
  ol_run run = run_new();
  memset(data, 0x5a, sizeof(data));

  for (int whole = 1; whole >= 0; whole--) {
    if (!CHECK(pipe(ends) == 0)) return;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    reader self = {ends[0], whole ? SIZE : SIZE / 2, sum_new()};
    ol_crc_sum sum = sum_new();
    pthread_create(&thread, NULL, read_slowly, &self);
    ol_status status = ol_file_write(ends[1], (ol_bytes){data, SIZE}, -1, &sum, &run);
    pthread_join(thread, NULL);
    if (whole) {
      CHECK(status == OL_OK && self.sum.value == sum.value);
    } else {
      CHECK(status == OL_SYSTEM && failure.error_number == EPIPE);
      CHECK(failure.written >= SIZE / 2 && failure.written < SIZE);
    }
    close(ends[1]);
  }

  if (!CHECK(pipe(ends) == 0)) return;
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  ol_crc_sum sum = sum_new();
  pthread_create(&thread, NULL, cancel_soon, NULL);
  CHECK(ol_file_write(ends[1], (ol_bytes){data, SIZE}, -1, &sum, &run) == OL_CANCELLED);
  pthread_join(thread, NULL);
  atomic_store(&cancel, 0);
  CHECK(ol_file_write(ends[1], (ol_bytes){data, 1}, 0, &sum, &run) == OL_SYSTEM);
  CHECK(failure.error_number == ESPIPE);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  if (!CHECK(mkdtemp(folder) != NULL)) return check_summary();
  test_sizes();
  test_no_files();
  test_cancel();
  test_bad_descriptor();
  test_pipes();
  unlink(path_of("file"));
  rmdir(folder);
  return check_summary();
}

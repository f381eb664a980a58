/*
 * Part of the prebuilt binary only: keeps it loadable with a glibc older than the one that it was
 * linked with. Each function here is one that newer glibcs export under a newer version, and that
 * our code, libqpdf, libstdc++ or libgcc calls. Defined in the binary itself, and not exported from
 * it, it takes the place of glibc's own, and hands the call to what old and new glibcs both have.
 */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* It would make one function of stat and stat64. */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* The whole function is a jump, so that dlsym still sees by its return address who calls it. */
#define OLDER(name)                            \
  __asm__(".symver older_" #name ", " #name    \
          "@GLIBC_2.2.5\n"                     \
          ".text\n"                            \
          ".globl " #name                      \
          "\n"                                 \
          ".hidden " #name                     \
          "\n"                                 \
          ".type " #name ", @function\n" #name \
          ":\n"                                \
          "  endbr64\n"                        \
          "  jmp *older_" #name                \
          "@GOTPCREL(%rip)\n"                  \
          ".size " #name ", . - " #name "\n")

/* 2.32 */
OLDER(pthread_sigmask);
/* 2.34 */
OLDER(__pthread_key_create);
OLDER(dlsym);
OLDER(pthread_attr_setstacksize);
OLDER(pthread_create);
OLDER(pthread_join);
OLDER(pthread_key_create);
OLDER(pthread_once);

/* 2.32, where libstdc++ looks whether it can do without atomic operations: never, in Node. */
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

/* 2.33; before, these were inline functions over the following. */
#define STAT_VERSION 1
int __xstat(int version, const char *path, struct stat *found);
int __lxstat(int version, const char *path, struct stat *found);
int __fxstat(int version, int fd, struct stat *found);
int __xstat64(int version, const char *path, struct stat64 *found);
int __lxstat64(int version, const char *path, struct stat64 *found);
int __fxstat64(int version, int fd, struct stat64 *found);

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN int stat(const char *path, struct stat *found) {
  return __xstat(STAT_VERSION, path, found);
}
HIDDEN int lstat(const char *path, struct stat *found) {
  return __lxstat(STAT_VERSION, path, found);
}
HIDDEN int fstat(int fd, struct stat *found) {
  return __fxstat(STAT_VERSION, fd, found);
}
HIDDEN int stat64(const char *path, struct stat64 *found) {
  return __xstat64(STAT_VERSION, path, found);
}
HIDDEN int lstat64(const char *path, struct stat64 *found) {
  return __lxstat64(STAT_VERSION, path, found);
}
HIDDEN int fstat64(int fd, struct stat64 *found) {
  return __fxstat64(STAT_VERSION, fd, found);
}

/* 2.35, where libgcc looks for the unwind table of the code at an address. */
struct wanted {
  uintptr_t address;
  struct dl_find_object *object;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct wanted *wanted = data;
  const ElfW(Phdr) *frames = NULL;
  uintptr_t start = UINTPTR_MAX, end = 0;
  int found = 0;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + header->p_vaddr;
    uintptr_t to = from + header->p_memsz;
    if (header->p_type == PT_GNU_EH_FRAME) frames = header;
    if (header->p_type != PT_LOAD) continue;
    if (from < start) start = from;
    if (to > end) end = to;
    found |= wanted->address >= from && wanted->address < to;
  }
  if (!found) return 0;
  if (frames == NULL) return -1;
  *wanted->object = (struct dl_find_object){
      .dlfo_map_start = (void *)start,
      .dlfo_map_end = (void *)end,
      .dlfo_eh_frame = (void *)(info->dlpi_addr + frames->p_vaddr),
  };
  return 1;
}

HIDDEN int _dl_find_object(void *address, struct dl_find_object *object) {
  struct wanted wanted = {(uintptr_t)address, object};
  return dl_iterate_phdr(look_at, &wanted) == 1 ? 0 : -1;
}

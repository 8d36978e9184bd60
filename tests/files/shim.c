/* Loaded before the tool: calls on files whose path contains $LMC_FAULT_FILE fail as $LMC_FAULT tells.
 *
 *   ENOSPC:N EFBIG:N EIO:N EDQUOT:N   writing fails with this error behind the first N bytes, a part of a call being
 *                                     written before
 *   short                             a call writes a third of what it is given
 *   EINTR                             every other call is interrupted before it does anything
 *   fsync rename                      these fail with EIO
 *   ENOMEM:N:K                        the K-th and later allocations of at least N bytes fail (wherever they are made)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_realloc(void*, size_t);

static const char* fault(void) {
  const char* f = getenv("LMC_FAULT");
  return f == NULL ? "" : f;
}

static int concerns_path(const char* path) {
  const char* part = getenv("LMC_FAULT_FILE");
  return part != NULL && path != NULL && strstr(path, part) != NULL;
}

static int concerns(int fd) {
  char link[64];
  char path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  if (n < 0) return 0;
  path[n] = '\0';
  return concerns_path(path);
}

/* How many bytes of a call may be written; -1: it fails with errno. */
static ssize_t allowed(int fd, size_t size) {
  static long long written;
  static unsigned calls;
  static const struct {
    const char* name;
    int error;
  } errors[] = {{"ENOSPC:", ENOSPC}, {"EFBIG:", EFBIG}, {"EIO:", EIO}, {"EDQUOT:", EDQUOT}};
  const char* const f = fault();
  if (size == 0 || !concerns(fd)) return (ssize_t)size;
  if (strcmp(f, "short") == 0) return (ssize_t)(size / 3 + 1);
  if (strcmp(f, "EINTR") == 0 && calls++ % 2 == 0) {
    errno = EINTR;
    return -1;
  }
  for (size_t k = 0; k < sizeof errors / sizeof *errors; ++k) {
    if (strncmp(f, errors[k].name, strlen(errors[k].name)) != 0) continue;
    const long long room = atoll(f + strlen(errors[k].name)) - written;
    if (room <= 0) {
      errno = errors[k].error;
      return -1;
    }
    if ((long long)size > room) size = (size_t)room;
    written += (long long)size;
  }
  return (ssize_t)size;
}

ssize_t write(int fd, const void* data, size_t size) {
  static ssize_t (*real)(int, const void*, size_t);
  if (real == NULL) real = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  const ssize_t n = allowed(fd, size);
  return n < 0 ? -1 : real(fd, data, (size_t)n);
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  static ssize_t (*real)(int, const void*, size_t, off_t);
  if (real == NULL) real = (ssize_t(*)(int, const void*, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
  const ssize_t n = allowed(fd, size);
  return n < 0 ? -1 : real(fd, data, (size_t)n, at);
}

ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  static ssize_t (*real)(int, const void*, size_t, off64_t);
  if (real == NULL) real = (ssize_t(*)(int, const void*, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  const ssize_t n = allowed(fd, size);
  return n < 0 ? -1 : real(fd, data, (size_t)n, at);
}

int fsync(int fd) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  if (strcmp(fault(), "fsync") != 0 || !concerns(fd)) return real(fd);
  errno = EIO;
  return -1;
}

int rename(const char* from, const char* to) {
  static int (*real)(const char*, const char*);
  if (real == NULL) real = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
  if (strcmp(fault(), "rename") != 0 || !concerns_path(to)) return real(from, to);
  errno = EIO;
  return -1;
}

static int refused(size_t size) {
  static long seen;
  const char* const f = fault();
  if (strncmp(f, "ENOMEM:", 7) != 0) return 0;
  char* end = NULL;
  const unsigned long long least = strtoull(f + 7, &end, 10);
  if (size < least || *end != ':') return 0;
  return __atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED) >= atol(end + 1);
}

void* malloc(size_t size) {
  if (size < 4096 || !refused(size)) return __libc_malloc(size);
  errno = ENOMEM;
  return NULL;
}

void* realloc(void* old, size_t size) {
  if (size < 4096 || !refused(size)) return __libc_realloc(old, size);
  errno = ENOMEM;
  return NULL;
}

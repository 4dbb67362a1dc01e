/* Faults of a machine, for tests of `sill doctor`: preloaded, and chosen by MACHINE_FAULT. Files of the tests are known
   by their names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int is_fault(const char* name) {
  const char* chosen = getenv("MACHINE_FAULT");
  return chosen != NULL && strcmp(chosen, name) == 0;
}

static int is_first_rank(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  return rank == NULL || strcmp(rank, "0") == 0;
}

/* lost: writes beyond a limit return success. full: the disk is full. */
ssize_t pwritev(int fd, const struct iovec* pieces, int count, off_t offset) {
  static ssize_t (*real)(int, const struct iovec*, int, off_t);
  if (real == NULL) real = (ssize_t(*)(int, const struct iovec*, int, off_t))dlsym(RTLD_NEXT, "pwritev");
  if (is_fault("full")) {
    errno = ENOSPC;
    return -1;
  }
  ssize_t all = 0;
  for (int i = 0; i < count; ++i) all += (ssize_t)pieces[i].iov_len;
  const ssize_t done = real(fd, pieces, count, offset);
  return is_fault("lost") ? all : done;
}
ssize_t pwritev64(int fd, const struct iovec* pieces, int count, off_t offset) {
  return pwritev(fd, pieces, count, offset);
}
ssize_t pwrite(int fd, const void* bytes, size_t count, off_t offset) {
  const struct iovec piece = {(void*)bytes, count};
  return pwritev(fd, &piece, 1, offset);
}
ssize_t pwrite64(int fd, const void* bytes, size_t count, off_t offset) { return pwrite(fd, bytes, count, offset); }

/* locks: every lock is granted. */
int flock(int fd, int operation) {
  static int (*real)(int, int);
  if (real == NULL) real = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
  return is_fault("locks") ? 0 : real(fd, operation);
}

/* rename: the old file is removed first. crash, hang: in the test that renames. */
int rename(const char* from, const char* to) {
  static int (*real)(const char*, const char*);
  if (real == NULL) real = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
  if (is_fault("rename") && strstr(to, "/current") != NULL) {
    unlink(to);
    usleep(20000);
  }
  return real(from, to);
}

/* stale: other ranks than the first see the size of an empty file. */
int stat(const char* path, struct stat* status) {
  static int (*real)(const char*, struct stat*);
  if (real == NULL) real = (int (*)(const char*, struct stat*))dlsym(RTLD_NEXT, "stat");
  const int result = real(path, status);
  if (is_fault("stale") && !is_first_rank() && strstr(path, "/grows") != NULL) status->st_size = 1;
  /* skew: the clock of the file system is one hour behind. crash, hang: in the same test. */
  if (strstr(path, "/clock") != NULL) {
    if (is_fault("skew")) status->st_mtim.tv_sec -= 3600;
    if (is_fault("crash")) raise(SIGSEGV);
    if (is_fault("hang")) pause();
  }
  return result;
}

/* A folder seen through a slow disk: every request to a file waits for its latency, and for its bytes at a bandwidth
 * that all files and programs share. Direct I/O, so that the page cache hides none of it. See script/slowfs. */
#define FUSE_USE_VERSION 35
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static const char* folder;
static int64_t latency_ns; /* of a request, and of opening or making a file */
static double ns_per_byte;
static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;
static int64_t free_at_ns; /* when the disk has moved all bytes that were asked for */

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void wait_for(int64_t bytes) {
  pthread_mutex_lock(&disk);
  const int64_t now = now_ns();
  if (free_at_ns < now) free_at_ns = now;
  free_at_ns += (int64_t)(ns_per_byte * (double)bytes);
  const int64_t until = free_at_ns + latency_ns;
  pthread_mutex_unlock(&disk);
  const struct timespec at = {until / 1000000000, until % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
  }
}

static void path_of(char* full, size_t size, const char* path) { snprintf(full, size, "%s%s", folder, path); }

#define FULL(path) \
  char full[4096]; \
  path_of(full, sizeof full, path)
#define RESULT(call) return (call) == -1 ? -errno : 0

static int get_attributes(const char* path, struct stat* status, struct fuse_file_info* info) {
  if (info != NULL) RESULT(fstat((int)info->fh, status));
  FULL(path);
  RESULT(lstat(full, status));
}

static int read_folder(const char* path, void* entries, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info* info,
                       enum fuse_readdir_flags flags) {
  (void)offset;
  (void)info;
  (void)flags;
  FULL(path);
  DIR* open_folder = opendir(full);
  if (open_folder == NULL) return -errno;
  for (const struct dirent* entry = readdir(open_folder); entry != NULL; entry = readdir(open_folder)) {
    if (fill(entries, entry->d_name, NULL, 0, 0) != 0) break;
  }
  closedir(open_folder);
  return 0;
}

static int opened(int descriptor, struct fuse_file_info* info) {
  if (descriptor == -1) return -errno;
  info->fh = (uint64_t)descriptor;
  info->direct_io = 1;
  wait_for(0);
  return 0;
}

static int open_file(const char* path, struct fuse_file_info* info) {
  FULL(path);
  return opened(open(full, info->flags & ~O_APPEND), info);
}

static int create_file(const char* path, mode_t mode, struct fuse_file_info* info) {
  FULL(path);
  return opened(open(full, info->flags & ~O_APPEND, mode), info);
}

static int read_file(const char* path, char* bytes, size_t size, off_t offset, struct fuse_file_info* info) {
  (void)path;
  const ssize_t done = pread((int)info->fh, bytes, size, offset);
  if (done == -1) return -errno;
  wait_for(done);
  return (int)done;
}

static int write_file(const char* path, const char* bytes, size_t size, off_t offset, struct fuse_file_info* info) {
  (void)path;
  const ssize_t done = pwrite((int)info->fh, bytes, size, offset);
  if (done == -1) return -errno;
  wait_for(done);
  return (int)done;
}

static int release_file(const char* path, struct fuse_file_info* info) {
  (void)path;
  close((int)info->fh);
  return 0;
}

static int sync_file(const char* path, int data_only, struct fuse_file_info* info) {
  (void)path;
  RESULT(data_only ? fdatasync((int)info->fh) : fsync((int)info->fh));
}

static int truncate_file(const char* path, off_t size, struct fuse_file_info* info) {
  if (info != NULL) RESULT(ftruncate((int)info->fh, size));
  FULL(path);
  RESULT(truncate(full, size));
}

static int remove_file(const char* path) {
  FULL(path);
  RESULT(unlink(full));
}

static int make_folder(const char* path, mode_t mode) {
  FULL(path);
  RESULT(mkdir(full, mode));
}

static int remove_folder(const char* path) {
  FULL(path);
  RESULT(rmdir(full));
}

static int rename_file(const char* from, const char* to, unsigned flags) {
  FULL(from);
  char full_to[4096];
  path_of(full_to, sizeof full_to, to);
  RESULT(renameat2(AT_FDCWD, full, AT_FDCWD, full_to, flags));
}

static int set_mode(const char* path, mode_t mode, struct fuse_file_info* info) {
  if (info != NULL) RESULT(fchmod((int)info->fh, mode));
  FULL(path);
  RESULT(chmod(full, mode));
}

static int set_owner(const char* path, uid_t user, gid_t group, struct fuse_file_info* info) {
  if (info != NULL) RESULT(fchown((int)info->fh, user, group));
  FULL(path);
  RESULT(lchown(full, user, group));
}

static int set_times(const char* path, const struct timespec times[2], struct fuse_file_info* info) {
  if (info != NULL) RESULT(futimens((int)info->fh, times));
  FULL(path);
  RESULT(utimensat(AT_FDCWD, full, times, AT_SYMLINK_NOFOLLOW));
}

static int get_space(const char* path, struct statvfs* space) {
  FULL(path);
  RESULT(statvfs(full, space));
}

static void* begin(struct fuse_conn_info* connection, struct fuse_config* config) {
  connection->max_write = 1 << 20;
  config->use_ino = 1;
  config->attr_timeout = 1;
  return NULL;
}

int main(int count, char* arguments[]) {
  if (count < 5) {
    fprintf(stderr, "usage: slowfs FOLDER MOUNT LATENCY_US BYTES_PER_S [options of FUSE]\n");
    return 2;
  }
  folder = realpath(arguments[1], NULL);
  latency_ns = (int64_t)(1000 * atof(arguments[3]));
  const double bytes_per_s = atof(arguments[4]);
  if (folder == NULL || latency_ns < 0 || bytes_per_s <= 0) {
    fprintf(stderr, "slowfs: %s is no folder, or %s and %s are no latency and bandwidth\n", arguments[1], arguments[3],
            arguments[4]);
    return 2;
  }
  ns_per_byte = 1e9 / bytes_per_s;
  const struct fuse_operations operations = {
      .getattr = get_attributes,
      .mkdir = make_folder,
      .unlink = remove_file,
      .rmdir = remove_folder,
      .rename = rename_file,
      .chmod = set_mode,
      .chown = set_owner,
      .truncate = truncate_file,
      .open = open_file,
      .read = read_file,
      .write = write_file,
      .statfs = get_space,
      .release = release_file,
      .fsync = sync_file,
      .readdir = read_folder,
      .init = begin,
      .create = create_file,
      .utimens = set_times,
  };
  /* The program's name, the mount point, then what FUSE is given. */
  arguments[3] = arguments[0];
  arguments[4] = arguments[2];
  return fuse_main(count - 3, arguments + 3, &operations, NULL);
}

#define _GNU_SOURCE
#include "CFileSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif

int cadastre_file_identity(const char *path, int descriptor, uint64_t *device, uint64_t *inode) {
#ifdef STATX_INO
  struct statx fields;
  int result = path ? statx(AT_FDCWD, path, 0, STATX_INO, &fields)
                    : statx(descriptor, "", AT_EMPTY_PATH, STATX_INO, &fields);
  if (result == 0) {
    *device = makedev(fields.stx_dev_major, fields.stx_dev_minor);
    *inode = fields.stx_ino;
    return 0;
  }
  /* Old kernels and some sandboxes refuse the call. */
  if (errno != ENOSYS && errno != EPERM) return -1;
#endif
  struct stat status;
  if ((path ? stat(path, &status) : fstat(descriptor, &status)) != 0) return -1;
  *device = (uint64_t)status.st_dev;
  *inode = (uint64_t)status.st_ino;
  return 0;
}

ptrdiff_t cadastre_get_attribute(const char *path, const char *name, void *bytes, size_t count) {
#ifdef __APPLE__
  return getxattr(path, name, bytes, count, 0, 0);
#else
  return getxattr(path, name, bytes, count);
#endif
}

int cadastre_set_attribute(const char *path, const char *name, const void *bytes, size_t count) {
#ifdef __APPLE__
  return setxattr(path, name, bytes, count, 0, 0);
#else
  return setxattr(path, name, bytes, count, 0);
#endif
}

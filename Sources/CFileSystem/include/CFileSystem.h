#ifndef CADASTRE_CFILESYSTEM_H
#define CADASTRE_CFILESYSTEM_H

#include <stddef.h>
#include <stdint.h>

/* Calls of the system that Swift's C library module of Linux lacks. */

/* Reads the device and the inode of the file at a path, or of an open file if the path is null.

   The times of the file are not read: since Linux 6.13, a write to a file whose times were read since its last write
   changes the inode, and fdatasync then writes the inode, too. A commit whose log was inspected by stat takes half as
   long again.

   Returns 0, or -1 with errno. */
int cadastre_file_identity(const char *path, int descriptor, uint64_t *device, uint64_t *inode);

/* Reads an extended attribute of a file. Returns its number of bytes, or -1 with errno. */
ptrdiff_t cadastre_get_attribute(const char *path, const char *name, void *bytes, size_t count);

/* Sets an extended attribute of a file. Returns 0, or -1 with errno. */
int cadastre_set_attribute(const char *path, const char *name, const void *bytes, size_t count);

#endif

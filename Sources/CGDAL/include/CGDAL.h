#ifndef CADASTRE_GDAL_H
#define CADASTRE_GDAL_H

#include <stddef.h>

/* GDAL's vector formats. The library is loaded at run time, so that programs run without it.
   Source: GDAL, "gdal.h" and "gdal_utils.h", version 3. */

/* Loads the library and registers its drivers; returns NULL, or the reason why that is not possible. */
const char *cadastre_gdal_load(void);

/* Returns the version of the loaded library. */
const char *cadastre_gdal_version(void);

/* A driver of vector files. */
struct cadastre_gdal_driver {
  const char *name;
  const char *long_name;
  /* The extensions of its files, separated by blanks; may be NULL. */
  const char *extensions;
  int can_open;
  int can_create;
};

/* Returns the number of drivers, of which some may not be for vector files. */
int cadastre_gdal_driver_count(void);

/* Describes a driver; returns 0 if it is not for vector files. */
int cadastre_gdal_driver(int index, struct cadastre_gdal_driver *driver);

/* Converts a file to another one with the arguments of ogr2ogr, which NULL ends. Returns 0 and writes the first
   warnings, or an empty text; or writes the reason for the failure and returns another number. */
int cadastre_gdal_translate(const char *source, const char *target, char **arguments, char *reason, size_t size);

#endif

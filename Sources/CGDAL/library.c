#include "CGDAL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions of GDAL that are used. */
static struct {
  void (*GDALAllRegister)(void);
  const char *(*GDALVersionInfo)(const char *request);
  int (*GDALGetDriverCount)(void);
  void *(*GDALGetDriver)(int index);
  const char *(*GDALGetDriverShortName)(void *driver);
  const char *(*GDALGetDriverLongName)(void *driver);
  const char *(*GDALGetMetadataItem)(void *object, const char *name, const char *domain);
  void *(*GDALOpenEx)(const char *path, unsigned flags, const char *const *drivers, const char *const *options,
                      const char *const *siblings);
  void *(*GDALVectorTranslateOptionsNew)(char **arguments, void *binary);
  void (*GDALVectorTranslateOptionsFree)(void *options);
  void *(*GDALVectorTranslate)(const char *target, void *dataset, int count, void **sources, const void *options,
                               int *usage);
  void (*GDALClose)(void *dataset);
  void (*CPLPushErrorHandler)(void (*handler)(int, int, const char *));
  void (*CPLPopErrorHandler)(void);
  void (*CPLSetConfigOption)(const char *name, const char *value);
} library;

static char message[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

#ifdef __APPLE__
static const char *const names[] = {"libgdal.dylib", "/opt/homebrew/lib/libgdal.dylib", "/usr/local/lib/libgdal.dylib"};
#else
/* The numbers of the binary interfaces from GDAL 3.2 on; the functions above are the same in all of them. */
static const char *const names[] = {"libgdal.so.38", "libgdal.so.37", "libgdal.so.36", "libgdal.so.35", "libgdal.so.34",
                                    "libgdal.so.33", "libgdal.so.32", "libgdal.so.31", "libgdal.so.30", "libgdal.so.29",
                                    "libgdal.so.28", "libgdal.so"};
#endif

enum { vector = 0x04, verbose = 0x40, warning = 2, failure = 3 };

/* The first failure and the different warnings that GDAL reports in a call of this thread. */
static _Thread_local char first_failure[512];
static _Thread_local char warnings[2048];

static void note(int class, int number, const char *text) {
  (void)number;
  if (!text || class < warning) return;
  if (class >= failure) {
    if (!first_failure[0]) snprintf(first_failure, sizeof first_failure, "%s", text);
  } else if (!strstr(warnings, text)) {
    size_t length = strlen(warnings);
    snprintf(warnings + length, sizeof warnings - length, "%s%s", length ? " " : "", text);
  }
}

static void load(void) {
  void *handle = NULL;
  const char *path = getenv("CADASTRE_GDAL_LIBRARY");
  if (path && *path) {
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  } else {
    for (size_t i = 0; !handle && i < sizeof names / sizeof *names; i++) handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  }
  if (!handle) {
    const char *reason = path && *path ? dlerror() : NULL;
    if (reason)
      snprintf(message, sizeof message, "the library GDAL of CADASTRE_GDAL_LIBRARY cannot be loaded: %s", reason);
    else
      snprintf(message, sizeof message, "the library GDAL is not installed (package libgdal32)");
    return;
  }
#define LOAD(name)                                                                                  \
  if (!(*(void **)&library.name = dlsym(handle, #name)) && !message[0])                             \
    snprintf(message, sizeof message, "the library GDAL has no function %s; version 3.2 is needed", #name);
  LOAD(GDALAllRegister)
  LOAD(GDALVersionInfo)
  LOAD(GDALGetDriverCount)
  LOAD(GDALGetDriver)
  LOAD(GDALGetDriverShortName)
  LOAD(GDALGetDriverLongName)
  LOAD(GDALGetMetadataItem)
  LOAD(GDALOpenEx)
  LOAD(GDALVectorTranslateOptionsNew)
  LOAD(GDALVectorTranslateOptionsFree)
  LOAD(GDALVectorTranslate)
  LOAD(GDALClose)
  LOAD(CPLPushErrorHandler)
  LOAD(CPLPopErrorHandler)
  LOAD(CPLSetConfigOption)
#undef LOAD
  if (message[0]) return;
  library.CPLPushErrorHandler(note);
  /* The faster index of OpenStreetMap's nodes refuses files whose nodes are not in order. */
  library.CPLSetConfigOption("OSM_USE_CUSTOM_INDEXING", "NO");
  library.GDALAllRegister();
  library.CPLPopErrorHandler();
}

const char *cadastre_gdal_load(void) {
  pthread_once(&once, load);
  return message[0] ? message : NULL;
}

const char *cadastre_gdal_version(void) { return library.GDALVersionInfo("RELEASE_NAME"); }

int cadastre_gdal_driver_count(void) { return library.GDALGetDriverCount(); }

static int has(void *driver, const char *capability) {
  const char *value = library.GDALGetMetadataItem(driver, capability, NULL);
  return value && strcmp(value, "YES") == 0;
}

int cadastre_gdal_driver(int index, struct cadastre_gdal_driver *driver) {
  void *found = library.GDALGetDriver(index);
  if (!found || !has(found, "DCAP_VECTOR")) return 0;
  driver->name = library.GDALGetDriverShortName(found);
  driver->long_name = library.GDALGetDriverLongName(found);
  driver->extensions = library.GDALGetMetadataItem(found, "DMD_EXTENSIONS", NULL);
  if (!driver->extensions) driver->extensions = library.GDALGetMetadataItem(found, "DMD_EXTENSION", NULL);
  driver->can_open = has(found, "DCAP_OPEN");
  driver->can_create = has(found, "DCAP_CREATE") || has(found, "DCAP_CREATECOPY");
  return 1;
}

static void set_reason(char *reason, size_t size, const char *fallback) {
  snprintf(reason, size, "%s", first_failure[0] ? first_failure : fallback);
}

int cadastre_gdal_translate(const char *source, const char *target, char **arguments, char *reason, size_t size) {
  int usage = 0;
  library.CPLPushErrorHandler(note);
  first_failure[0] = warnings[0] = 0;
  void *input = library.GDALOpenEx(source, vector | verbose, NULL, NULL, NULL);
  void *output = NULL;
  if (input) {
    void *options = library.GDALVectorTranslateOptionsNew(arguments, NULL);
    output = options ? library.GDALVectorTranslate(target, NULL, 1, &input, options, &usage) : NULL;
    if (options) library.GDALVectorTranslateOptionsFree(options);
    /* The file is complete when it is closed. */
    if (output) library.GDALClose(output);
    library.GDALClose(input);
  }
  int result = !output || first_failure[0];
  if (!result) snprintf(reason, size, "%s", warnings);
  if (result) set_reason(reason, size, input ? "GDAL cannot convert the file" : "no driver of GDAL reads the file");
  library.CPLPopErrorHandler();
  return result;
}

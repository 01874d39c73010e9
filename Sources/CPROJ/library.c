#include "CPROJ.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int major, minor, patch;
  const char *release, *version, *searchpath;
  const char *const *paths;
  size_t path_count;
} info;

/* The functions of PROJ, in the order in which they are called. */
static struct {
  info (*proj_info)(void);
  void *(*proj_context_create)(void);
  int (*proj_log_level)(void *context, int level);
  void *(*proj_create_crs_to_crs)(void *context, const char *source, const char *target, void *area);
  void *(*proj_normalize_for_visualization)(void *context, const void *conversion);
  size_t (*proj_trans_generic)(void *conversion, int direction, double *x, size_t sx, size_t nx, double *y, size_t sy,
                               size_t ny, double *z, size_t sz, size_t nz, double *t, size_t st, size_t nt);
  int (*proj_context_errno)(void *context);
  const char *(*proj_errno_string)(int number);
  void *(*proj_destroy)(void *conversion);
  void *(*proj_context_destroy)(void *context);
} library;

static char message[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

#ifdef __APPLE__
static const char *const names[] = {"libproj.dylib", "/opt/homebrew/lib/libproj.dylib", "/usr/local/lib/libproj.dylib"};
#else
static const char *const names[] = {"libproj.so.25", "libproj.so.22", "libproj.so.19", "libproj.so.15", "libproj.so"};
#endif

static void load(void) {
  void *handle = NULL;
  const char *path = getenv("CADASTRE_PROJ_LIBRARY");
  if (path && *path) {
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  } else {
    for (size_t i = 0; !handle && i < sizeof names / sizeof *names; i++) handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  }
  if (!handle) {
    snprintf(message, sizeof message, "the library PROJ is not installed (package libproj25)");
    return;
  }
#define LOAD(name)                                                                                  \
  if (!(*(void **)&library.name = dlsym(handle, #name)) && !message[0])                             \
    snprintf(message, sizeof message, "the library PROJ has no function %s; version 6 is needed", #name);
  LOAD(proj_info)
  LOAD(proj_context_create)
  LOAD(proj_log_level)
  LOAD(proj_create_crs_to_crs)
  LOAD(proj_normalize_for_visualization)
  LOAD(proj_trans_generic)
  LOAD(proj_context_errno)
  LOAD(proj_errno_string)
  LOAD(proj_destroy)
  LOAD(proj_context_destroy)
#undef LOAD
}

const char *cadastre_proj_load(void) {
  pthread_once(&once, load);
  return message[0] ? message : NULL;
}

const char *cadastre_proj_version(void) { return library.proj_info().version; }

struct cadastre_proj {
  void *context;
  void *conversion;
};

cadastre_proj *cadastre_proj_create(const char *system, char *text, size_t size) {
  void *context = library.proj_context_create();
  if (!context) {
    snprintf(text, size, "out of memory");
    return NULL;
  }
  library.proj_log_level(context, 0);
  void *conversion = library.proj_create_crs_to_crs(context, system, "OGC:CRS84", NULL);
  void *normalized = conversion ? library.proj_normalize_for_visualization(context, conversion) : NULL;
  if (!normalized) {
    int number = library.proj_context_errno(context);
    /* 4096 is PROJ_ERR_OTHER, which says nothing. */
    const char *reason = number && number != 4096 ? library.proj_errno_string(number) : NULL;
    snprintf(text, size, "%s", reason ? reason : "it is no reference system that PROJ knows");
  }
  if (conversion) library.proj_destroy(conversion);
  cadastre_proj *result = normalized ? malloc(sizeof *result) : NULL;
  if (!result) {
    if (normalized) library.proj_destroy(normalized);
    library.proj_context_destroy(context);
    return NULL;
  }
  result->context = context;
  result->conversion = normalized;
  return result;
}

static int transform(cadastre_proj *one, int direction, double *x, double *y) {
  size_t step = sizeof(double);
  library.proj_trans_generic(one->conversion, direction, x, step, 1, y, step, 1, NULL, 0, 0, NULL, 0, 0);
  return isfinite(*x) && isfinite(*y);
}

static int is_near(double first, double second) { return fabs(first - second) <= 0.01 + 1e-6 * fabs(first); }

int cadastre_proj_convert(cadastre_proj *one, double *x, double *y) {
  const int forward = 1, inverse = -1;
  double original_x = *x, original_y = *y;
  if (!transform(one, forward, x, y)) return 0;
  /* Far outside of its area, a projection gives positions that do not lead back. */
  double back_x = *x, back_y = *y;
  return transform(one, inverse, &back_x, &back_y) && is_near(original_x, back_x) && is_near(original_y, back_y);
}

void cadastre_proj_destroy(cadastre_proj *one) {
  library.proj_destroy(one->conversion);
  library.proj_context_destroy(one->context);
  free(one);
}

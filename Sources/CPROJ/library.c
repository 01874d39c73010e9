#include "CPROJ.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  void *(*proj_create)(void *context, const char *definition);
  int (*proj_get_type)(const void *object);
  void *(*proj_get_source_crs)(void *context, const void *object);
  void *(*proj_crs_get_sub_crs)(void *context, const void *object, int index);
  const char *(*proj_get_id_code)(const void *object, int index);
  const char *(*proj_get_id_auth_name)(const void *object, int index);
  void *(*proj_identify)(void *context, const void *object, const char *authority, const char *const *options,
                         int **confidence);
  int (*proj_list_get_count)(const void *list);
  void *(*proj_list_get)(void *context, const void *list, int index);
  void (*proj_list_destroy)(void *list);
  void (*proj_int_list_destroy)(int *list);
  void *(*proj_create_crs_to_crs)(void *context, const char *source, const char *target, void *area);
  void *(*proj_normalize_for_visualization)(void *context, const void *conversion);
  size_t (*proj_trans_generic)(void *conversion, int direction, double *x, size_t sx, size_t nx, double *y, size_t sy,
                               size_t ny, double *z, size_t sz, size_t nz, double *t, size_t st, size_t nt);
  int (*proj_context_errno)(void *context);
  const char *(*proj_errno_string)(int number);
  void *(*proj_destroy)(void *conversion);
  void *(*proj_context_destroy)(void *context);
} library;

/* The functions of PROJ for geodesics. An ellipsoid is a struct geod_geodesic of about 400 bytes. */
static struct {
  void (*geod_init)(void *ellipsoid, double radius, double flattening);
  void (*geod_inverse)(const void *ellipsoid, double latitude_1, double longitude_1, double latitude_2,
                       double longitude_2, double *length, double *azimuth_1, double *azimuth_2);
  void (*geod_polygonarea)(const void *ellipsoid, const double *latitudes, const double *longitudes, int count,
                           double *area, double *perimeter);
} geodesics;

static double ellipsoid[512];

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
  LOAD(proj_create)
  LOAD(proj_get_type)
  LOAD(proj_get_source_crs)
  LOAD(proj_crs_get_sub_crs)
  LOAD(proj_get_id_code)
  LOAD(proj_get_id_auth_name)
  LOAD(proj_identify)
  LOAD(proj_list_get_count)
  LOAD(proj_list_get)
  LOAD(proj_list_destroy)
  LOAD(proj_int_list_destroy)
  LOAD(proj_create_crs_to_crs)
  LOAD(proj_normalize_for_visualization)
  LOAD(proj_trans_generic)
  LOAD(proj_context_errno)
  LOAD(proj_errno_string)
  LOAD(proj_destroy)
  LOAD(proj_context_destroy)
#undef LOAD
  *(void **)&geodesics.geod_init = dlsym(handle, "geod_init");
  *(void **)&geodesics.geod_inverse = dlsym(handle, "geod_inverse");
  *(void **)&geodesics.geod_polygonarea = dlsym(handle, "geod_polygonarea");
  if (cadastre_proj_has_geodesics()) geodesics.geod_init(ellipsoid, 6378137, 1 / 298.257223563);
}

const char *cadastre_proj_load(void) {
  pthread_once(&once, load);
  return message[0] ? message : NULL;
}

int cadastre_proj_has_geodesics(void) {
  return geodesics.geod_init && geodesics.geod_inverse && geodesics.geod_polygonarea;
}

double cadastre_proj_distance(double longitude_1, double latitude_1, double longitude_2, double latitude_2) {
  double length = 0;
  geodesics.geod_inverse(ellipsoid, latitude_1, longitude_1, latitude_2, longitude_2, &length, NULL, NULL);
  return length;
}

void cadastre_proj_polygon(const double *longitudes, const double *latitudes, int count, double *area, double *perimeter) {
  /* The area of the ellipsoid. */
  const double whole = 510065621724088.44;
  geodesics.geod_polygonarea(ellipsoid, latitudes, longitudes, count, area, perimeter);
  *area = fabs(*area);
  if (*area > whole / 2) *area = whole - *area;
}

const char *cadastre_proj_version(void) { return library.proj_info().version; }

struct cadastre_proj {
  void *context;
  void *conversion;
  /* The greatest distance between a position and its counterpart's counterpart, in units of the system. */
  double tolerance;
};

/* Values of PJ_TYPE. */
enum {
  geocentric = 10, geographic_2d = 12, geographic_3d = 13, vertical = 14, projected = 15, compound = 16, temporal = 17,
  engineering = 18, bound = 19
};

/* Whether coordinates in a system of a type are no positions on the Earth's surface. */
static int is_other(int type) {
  return type == geocentric || type == vertical || type == temporal || type == engineering;
}

/* Writes the name of the database's system that a definition without a name means. Programs of Esri write no codes. Without
   the code, PROJ knows some datums by their ellipsoid only. */
static void identify(void *context, const void *system, char *name, size_t size) {
  int *confidence = NULL;
  void *list = library.proj_identify(context, system, NULL, NULL, &confidence);
  int count = list ? library.proj_list_get_count(list) : 0;
  /* From 90 % on, at most the name differs. */
  if (count && confidence[0] >= 90 && (count == 1 || confidence[1] < confidence[0])) {
    void *match = library.proj_list_get(context, list, 0);
    const char *authority = match ? library.proj_get_id_auth_name(match, 0) : NULL;
    const char *code = match ? library.proj_get_id_code(match, 0) : NULL;
    if (authority && code) snprintf(name, size, "%s:%s", authority, code);
    if (match) library.proj_destroy(match);
  }
  if (confidence) library.proj_int_list_destroy(confidence);
  if (list) library.proj_list_destroy(list);
}

/* Returns the type of a system, or of its horizontal part. */
static int horizontal_type(void *context, const void *system) {
  int type = library.proj_get_type(system);
  if (type != compound && type != bound) return type;
  void *part = type == compound ? library.proj_crs_get_sub_crs(context, system, 0)
                                : library.proj_get_source_crs(context, system);
  if (!part) return type;
  type = horizontal_type(context, part);
  library.proj_destroy(part);
  return type;
}

/* Creates the operation from a system that PROJ takes for EPSG:4326. OGC:CRS84 has the same datum, but other operations in
   PROJ's database. */
static void *create_conversion(void *context, const char *definition, int *type) {
  void *system = library.proj_create(context, definition);
  if (!system) return NULL;
  *type = horizontal_type(context, system);
  char name[128] = "";
  int own = library.proj_get_type(system);
  if ((own == geographic_2d || own == projected) && !library.proj_get_id_code(system, 0))
    identify(context, system, name, sizeof name);
  library.proj_destroy(system);
  if (is_other(*type)) return NULL;
  void *conversion = library.proj_create_crs_to_crs(context, *name ? name : definition, "EPSG:4326", NULL);
  void *normalized = conversion ? library.proj_normalize_for_visualization(context, conversion) : NULL;
  if (conversion) library.proj_destroy(conversion);
  return normalized;
}

cadastre_proj *cadastre_proj_create(const char *system, char *text, size_t size) {
  int isString = (!strncmp(system, "+", 1) || !strncmp(system, "proj=", 5)) && !strstr(system, "type=crs");
  char *definition = malloc(strlen(system) + sizeof " +type=crs");
  cadastre_proj *result = calloc(1, sizeof *result);
  void *context = library.proj_context_create();
  if (!definition || !result || !context) {
    snprintf(text, size, "out of memory");
  } else {
    /* Without this, a PROJ string is an operation. */
    sprintf(definition, "%s%s", system, isString ? " +type=crs" : "");
    library.proj_log_level(context, 0);
    int type = 0;
    result->context = context;
    result->conversion = create_conversion(context, definition, &type);
    /* About 1 km: operations of neighbouring areas differ by less, and positions that do not lead back by more. */
    result->tolerance = type == geographic_2d || type == geographic_3d ? 0.01 : 1000;
    if (!result->conversion) {
      int number = library.proj_context_errno(context);
      /* 4096 is PROJ_ERR_OTHER, which says nothing. */
      const char *reason = is_other(type)             ? "it is neither a geographic nor a projected system"
                           : number && number != 4096 ? library.proj_errno_string(number)
                                                      : NULL;
      snprintf(text, size, "%s", reason ? reason : "it is no reference system that PROJ knows");
    }
  }
  free(definition);
  if (result && result->conversion) return result;
  if (context) library.proj_context_destroy(context);
  free(result);
  return NULL;
}

static int transform(cadastre_proj *one, int direction, double *x, double *y) {
  size_t step = sizeof(double);
  library.proj_trans_generic(one->conversion, direction, x, step, 1, y, step, 1, NULL, 0, 0, NULL, 0, 0);
  return isfinite(*x) && isfinite(*y);
}

int cadastre_proj_convert(cadastre_proj *one, double *x, double *y) {
  const int forward = 1, inverse = -1;
  double original_x = *x, original_y = *y;
  if (!transform(one, forward, x, y)) return 0;
  /* Far outside of its area, a projection gives positions that do not lead back. */
  double back_x = *x, back_y = *y;
  return transform(one, inverse, &back_x, &back_y) && fabs(original_x - back_x) <= one->tolerance &&
         fabs(original_y - back_y) <= one->tolerance;
}

void cadastre_proj_destroy(cadastre_proj *one) {
  library.proj_destroy(one->conversion);
  library.proj_context_destroy(one->context);
  free(one);
}

#ifndef CADASTRE_CPROJ_H
#define CADASTRE_CPROJ_H

#include <stddef.h>

/*
 * Conversion of coordinates by the library PROJ, from version 6 on. Source: the documentation of PROJ 9.1, "proj.h".
 *
 * The library is loaded when it is first needed. Programs that import files in WGS 84 only need it neither when they are
 * built nor when they run.
 */

typedef struct cadastre_proj cadastre_proj;

/* Loads the library; returns a message if that fails, and NULL otherwise. */
const char *cadastre_proj_load(void);

/* Returns the version of the loaded library. */
const char *cadastre_proj_version(void);

/*
 * Creates a conversion from a reference system to longitude and latitude in WGS 84. The system is a name such as
 * EPSG:27700, a URN, well-known text or PROJJSON. Its axes are in the order of files: east, north. A definition without a
 * code is looked up in PROJ's database. Returns NULL and writes a message if that fails, or if the system has no positions
 * on the Earth's surface.
 */
cadastre_proj *cadastre_proj_create(const char *system, char *message, size_t size);

/* Converts a position in place; returns 0 if it has no counterpart that leads back to it, within about 1 km. */
int cadastre_proj_convert(cadastre_proj *conversion, double *x, double *y);

/* Releases a conversion. */
void cadastre_proj_destroy(cadastre_proj *conversion);

/*
 * Geodesics on the ellipsoid of WGS 84. Source: the documentation of PROJ 9.1, "geodesic.h".
 */

/* Returns whether the loaded library has geodesics. */
int cadastre_proj_has_geodesics(void);

/* Returns the length of the geodesic between two positions in degrees, in metres. */
double cadastre_proj_distance(double longitude_1, double latitude_1, double longitude_2, double latitude_2);

/* Sets the area of the smaller side of a ring in square metres, and its length in metres. The last of the positions, which
   are in degrees, is joined to the first. */
void cadastre_proj_polygon(const double *longitudes, const double *latitudes, int count, double *area, double *perimeter);

#endif

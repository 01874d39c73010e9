#ifndef CADASTRE_CGEOS_SHIM_H
#define CADASTRE_CGEOS_SHIM_H

/* Declares only the reentrant `_r` functions, which take a context: each thread has a context with its own error handler. */
#define GEOS_USE_ONLY_R_API
#include <geos_c.h>

#endif

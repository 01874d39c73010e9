#ifndef CADASTRE_CGEOS_SHIM_H
#define CADASTRE_CGEOS_SHIM_H

/* Only the reentrant `_r` functions: one context a thread, errors to its own handler. */
#define GEOS_USE_ONLY_R_API
#include <geos_c.h>

#endif

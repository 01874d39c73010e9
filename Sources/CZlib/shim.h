#ifndef CADASTRE_CZLIB_SHIM_H
#define CADASTRE_CZLIB_SHIM_H

#include <zlib.h>

#endif

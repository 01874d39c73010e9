#ifndef CADASTRE_CZSTD_SHIM_H
#define CADASTRE_CZSTD_SHIM_H

#include <zstd.h>

#endif

#ifndef CADASTRE_CZLIB_SHIM_H
#define CADASTRE_CZLIB_SHIM_H

#include <zlib.h>

/* Swift does not import inflateInit2, a macro that adds the version and the size of the structure. 31 is the sum of 15, the largest window,
   and 16, which selects the gzip format. */
static inline int cadastre_inflate_gzip_init(z_stream *stream) { return inflateInit2(stream, 31); }

#endif

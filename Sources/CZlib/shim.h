#ifndef CADASTRE_CZLIB_SHIM_H
#define CADASTRE_CZLIB_SHIM_H

#include <zlib.h>

/* inflateInit2 is a macro over the version and the size of the structure, which Swift does not import. 31 is the largest window, 15, and
   16 for a gzip header and trailer around each member. */
static inline int cadastre_inflate_gzip_init(z_stream *stream) { return inflateInit2(stream, 31); }

#endif

#pragma once
#include <zlib.h>

// The init functions are macros that add the version and the size of `z_stream`. 15 + 16: the
// largest window, gzip framing and no other.
static inline int walkdown_deflate_init_gzip(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

static inline int walkdown_inflate_init_gzip(z_stream *stream) {
    return inflateInit2(stream, 15 + 16);
}

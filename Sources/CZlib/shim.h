#include <zlib.h>

// zlib.h has a macro here, for the version and size of the caller's own header.
static inline int staffbook_deflateInit2(
    z_stream *stream, int level, int method, int windowBits, int memLevel, int strategy) {
  return deflateInit2(stream, level, method, windowBits, memLevel, strategy);
}

#ifndef STAFFBOOK_RESOURCES_H
#define STAFFBOOK_RESOURCES_H

#include <stddef.h>

/// A file that the program carries.
struct staffbook_resource {
  const char *_Nullable name;
  const unsigned char *_Nonnull bytes;
  size_t count;
};

/// The file with a name, without its folder; `bytes` is never NULL, and `name` is NULL where there is none.
struct staffbook_resource staffbook_resource_named(const char *_Nonnull name);

#endif

#ifndef STAFFBOOK_RESOURCES_H
#define STAFFBOOK_RESOURCES_H

/// A file that the program carries: its name without its folder, and its text.
struct staffbook_resource {
  const char *_Nullable name;
  const char *_Nonnull text;
};

/// All of them; one without a name follows the last.
const struct staffbook_resource *_Nonnull staffbook_resources(void);

#endif

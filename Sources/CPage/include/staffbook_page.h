#ifndef STAFFBOOK_PAGE_H
#define STAFFBOOK_PAGE_H

/// A file of the page: its name without its folder, and its text.
struct staffbook_page_file {
  const char *_Nullable name;
  const char *_Nonnull text;
};

/// All of them; one without a name follows the last.
const struct staffbook_page_file *_Nonnull staffbook_page_files(void);

#endif

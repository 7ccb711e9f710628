int staffbook_icu_placeholder(void) { return 0; }

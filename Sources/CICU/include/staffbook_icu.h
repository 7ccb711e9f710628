int staffbook_icu_placeholder(void);

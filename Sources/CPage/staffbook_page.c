// The files of the page that browsers load.
#include "staffbook_page.h"

#include <stddef.h>

// A C23 feature (6.10.4) that clang has for every standard.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const struct staffbook_page_file files[] = {
    {"address.js", (const char[]){
#embed "../Page/Files/address.js" suffix(, 0)
    }},
    {"api.js", (const char[]){
#embed "../Page/Files/api.js" suffix(, 0)
    }},
    {"chart.js", (const char[]){
#embed "../Page/Files/chart.js" suffix(, 0)
    }},
    {"department.js", (const char[]){
#embed "../Page/Files/department.js" suffix(, 0)
    }},
    {"dom.js", (const char[]){
#embed "../Page/Files/dom.js" suffix(, 0)
    }},
    {"icon.svg", (const char[]){
#embed "../Page/Files/icon.svg" suffix(, 0)
    }},
    {"keys.js", (const char[]){
#embed "../Page/Files/keys.js" suffix(, 0)
    }},
    {"layout.js", (const char[]){
#embed "../Page/Files/layout.js" suffix(, 0)
    }},
    {"live.js", (const char[]){
#embed "../Page/Files/live.js" suffix(, 0)
    }},
    {"marks.js", (const char[]){
#embed "../Page/Files/marks.js" suffix(, 0)
    }},
    {"outline.js", (const char[]){
#embed "../Page/Files/outline.js" suffix(, 0)
    }},
    {"page.css", (const char[]){
#embed "../Page/Files/page.css" suffix(, 0)
    }},
    {"page.js", (const char[]){
#embed "../Page/Files/page.js" suffix(, 0)
    }},
    {"paper.js", (const char[]){
#embed "../Page/Files/paper.js" suffix(, 0)
    }},
    {"parts.js", (const char[]){
#embed "../Page/Files/parts.js" suffix(, 0)
    }},
    {"person.js", (const char[]){
#embed "../Page/Files/person.js" suffix(, 0)
    }},
    {"record.js", (const char[]){
#embed "../Page/Files/record.js" suffix(, 0)
    }},
    {"search.js", (const char[]){
#embed "../Page/Files/search.js" suffix(, 0)
    }},
    {"status.js", (const char[]){
#embed "../Page/Files/status.js" suffix(, 0)
    }},
    {"store.js", (const char[]){
#embed "../Page/Files/store.js" suffix(, 0)
    }},
    {"table.js", (const char[]){
#embed "../Page/Files/table.js" suffix(, 0)
    }},
    {"texts.js", (const char[]){
#embed "../Page/Files/texts.js" suffix(, 0)
    }},
    {"texts.json", (const char[]){
#embed "../Page/Files/texts.json" suffix(, 0)
    }},
    {"tree.js", (const char[]){
#embed "../Page/Files/tree.js" suffix(, 0)
    }},
    {NULL, ""},
};

const struct staffbook_page_file *staffbook_page_files(void) { return files; }

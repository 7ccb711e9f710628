// The files that the program carries. SwiftPM's `.embedInCode` writes an array literal with an element for
// each byte, which took the compiler 60 s of a release build for 270 KB.
#include "staffbook_resources.h"

#include <stddef.h>

// A C23 feature (6.10.4) that clang has for every standard.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const struct staffbook_resource resources[] = {
    {"0017_0_upgrade.sql", (const char[]){
#embed "../../Schema/0017_0_upgrade.sql" suffix(, 0)
    }},
    {"0017_1_directory.sql", (const char[]){
#embed "../../Schema/0017_1_directory.sql" suffix(, 0)
    }},
    {"0017_2_tracking.sql", (const char[]){
#embed "../../Schema/0017_2_tracking.sql" suffix(, 0)
    }},
    {"0017_3_fields.sql", (const char[]){
#embed "../../Schema/0017_3_fields.sql" suffix(, 0)
    }},
    {"0017_4_visibility.sql", (const char[]){
#embed "../../Schema/0017_4_visibility.sql" suffix(, 0)
    }},
    {"0017_5_history.sql", (const char[]){
#embed "../../Schema/0017_5_history.sql" suffix(, 0)
    }},
    {"0017_6_sources.sql", (const char[]){
#embed "../../Schema/0017_6_sources.sql" suffix(, 0)
    }},
    {"0017_7_tokens.sql", (const char[]){
#embed "../../Schema/0017_7_tokens.sql" suffix(, 0)
    }},
    {"0017_8_rights.sql", (const char[]){
#embed "../../Schema/0017_8_rights.sql" suffix(, 0)
    }},
    {"0017_9_triggers.sql", (const char[]){
#embed "../../Schema/0017_9_triggers.sql" suffix(, 0)
    }},
    {"page.css", (const char[]){
#embed "../DirectoryExchange/HTML/page.css" suffix(, 0)
    }},
    {"page.js", (const char[]){
#embed "../DirectoryExchange/HTML/page.js" suffix(, 0)
    }},
    {"languages.txt", (const char[]){
#embed "../DirectoryExchange/Encodings/languages.txt" suffix(, 0)
    }},
    {"lighthouse.json", (const char[]){
#embed "../SampleCompanies/Words/lighthouse.json" suffix(, 0)
    }},
    {"names.json", (const char[]){
#embed "../SampleCompanies/Words/names.json" suffix(, 0)
    }},
    {"words.json", (const char[]){
#embed "../SampleCompanies/Words/words.json" suffix(, 0)
    }},
    {"staffbook.bash", (const char[]){
#embed "../staffbook/Completion/staffbook.bash" suffix(, 0)
    }},
    {"staffbook.fish", (const char[]){
#embed "../staffbook/Completion/staffbook.fish" suffix(, 0)
    }},
    {"staffbook.zsh", (const char[]){
#embed "../staffbook/Completion/staffbook.zsh" suffix(, 0)
    }},
    {NULL, ""},
};

const struct staffbook_resource *staffbook_resources(void) { return resources; }

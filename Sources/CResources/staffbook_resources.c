// The files that the program carries. SwiftPM's `.embedInCode` writes an array literal with an element for
// each byte, which took the compiler 60 s of a release build for 270 KB.
#include "staffbook_resources.h"

#include <stddef.h>

// A C23 feature (6.10.4) that clang has for every standard.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const struct staffbook_resource resources[] = {
    {"0001_directory.sql", (const char[]){
#embed "../../Schema/0001_directory.sql" suffix(, 0)
    }},
    {"0002_no_rings.sql", (const char[]){
#embed "../../Schema/0002_no_rings.sql" suffix(, 0)
    }},
    {"0003_change_tracking.sql", (const char[]){
#embed "../../Schema/0003_change_tracking.sql" suffix(, 0)
    }},
    {"0004_reader_role.sql", (const char[]){
#embed "../../Schema/0004_reader_role.sql" suffix(, 0)
    }},
    {"0005_accepted_deletions.sql", (const char[]){
#embed "../../Schema/0005_accepted_deletions.sql" suffix(, 0)
    }},
    {"0006_fields.sql", (const char[]){
#embed "../../Schema/0006_fields.sql" suffix(, 0)
    }},
    {"0007_history.sql", (const char[]){
#embed "../../Schema/0007_history.sql" suffix(, 0)
    }},
    {"0008_former_members.sql", (const char[]){
#embed "../../Schema/0008_former_members.sql" suffix(, 0)
    }},
    {"0009_change_notices.sql", (const char[]){
#embed "../../Schema/0009_change_notices.sql" suffix(, 0)
    }},
    {"0010_rights.sql", (const char[]){
#embed "../../Schema/0010_rights.sql" suffix(, 0)
    }},
    {"0011_forgetting.sql", (const char[]){
#embed "../../Schema/0011_forgetting.sql" suffix(, 0)
    }},
    {"0012_visibility.sql", (const char[]){
#embed "../../Schema/0012_visibility.sql" suffix(, 0)
    }},
    {"0013_sources.sql", (const char[]){
#embed "../../Schema/0013_sources.sql" suffix(, 0)
    }},
    {"0014_tokens.sql", (const char[]){
#embed "../../Schema/0014_tokens.sql" suffix(, 0)
    }},
    {"0015_list_rights.sql", (const char[]){
#embed "../../Schema/0015_list_rights.sql" suffix(, 0)
    }},
    {"0016_rules_by_value.sql", (const char[]){
#embed "../../Schema/0016_rules_by_value.sql" suffix(, 0)
    }},
    {"page.css", (const char[]){
#embed "../DirectoryExchange/HTML/page.css" suffix(, 0)
    }},
    {"page.js", (const char[]){
#embed "../DirectoryExchange/HTML/page.js" suffix(, 0)
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

// The files that the program carries. SwiftPM's `.embedInCode` writes an array literal with an element for
// each byte, which took the compiler 60 s of a release build for 270 KB.
#include "staffbook_resources.h"

#include <string.h>

// A C23 feature (6.10.4) that clang has for every standard.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char schema_0001_directory_sql[] = {
#embed "../../Schema/0001_directory.sql"
};
static const unsigned char schema_0002_no_rings_sql[] = {
#embed "../../Schema/0002_no_rings.sql"
};
static const unsigned char schema_0003_change_tracking_sql[] = {
#embed "../../Schema/0003_change_tracking.sql"
};
static const unsigned char schema_0004_reader_role_sql[] = {
#embed "../../Schema/0004_reader_role.sql"
};
static const unsigned char schema_0005_accepted_deletions_sql[] = {
#embed "../../Schema/0005_accepted_deletions.sql"
};
static const unsigned char schema_0006_fields_sql[] = {
#embed "../../Schema/0006_fields.sql"
};
static const unsigned char schema_0007_history_sql[] = {
#embed "../../Schema/0007_history.sql"
};
static const unsigned char schema_0008_former_members_sql[] = {
#embed "../../Schema/0008_former_members.sql"
};
static const unsigned char schema_0009_change_notices_sql[] = {
#embed "../../Schema/0009_change_notices.sql"
};
static const unsigned char schema_0010_rights_sql[] = {
#embed "../../Schema/0010_rights.sql"
};
static const unsigned char schema_0011_forgetting_sql[] = {
#embed "../../Schema/0011_forgetting.sql"
};
static const unsigned char schema_0012_visibility_sql[] = {
#embed "../../Schema/0012_visibility.sql"
};
static const unsigned char page_css[] = {
#embed "../DirectoryExchange/HTML/page.css"
};
static const unsigned char page_js[] = {
#embed "../DirectoryExchange/HTML/page.js"
};
static const unsigned char lighthouse_json[] = {
#embed "../SampleCompanies/Words/lighthouse.json"
};
static const unsigned char names_json[] = {
#embed "../SampleCompanies/Words/names.json"
};
static const unsigned char words_json[] = {
#embed "../SampleCompanies/Words/words.json"
};
static const unsigned char staffbook_bash[] = {
#embed "../staffbook/Completion/staffbook.bash"
};
static const unsigned char staffbook_fish[] = {
#embed "../staffbook/Completion/staffbook.fish"
};
static const unsigned char staffbook_zsh[] = {
#embed "../staffbook/Completion/staffbook.zsh"
};

#define RESOURCE(name, bytes) {name, bytes, sizeof bytes}

static const struct staffbook_resource resources[] = {
    RESOURCE("0001_directory.sql", schema_0001_directory_sql),
    RESOURCE("0002_no_rings.sql", schema_0002_no_rings_sql),
    RESOURCE("0003_change_tracking.sql", schema_0003_change_tracking_sql),
    RESOURCE("0004_reader_role.sql", schema_0004_reader_role_sql),
    RESOURCE("0005_accepted_deletions.sql", schema_0005_accepted_deletions_sql),
    RESOURCE("0006_fields.sql", schema_0006_fields_sql),
    RESOURCE("0007_history.sql", schema_0007_history_sql),
    RESOURCE("0008_former_members.sql", schema_0008_former_members_sql),
    RESOURCE("0009_change_notices.sql", schema_0009_change_notices_sql),
    RESOURCE("0010_rights.sql", schema_0010_rights_sql),
    RESOURCE("0011_forgetting.sql", schema_0011_forgetting_sql),
    RESOURCE("0012_visibility.sql", schema_0012_visibility_sql),
    RESOURCE("page.css", page_css),
    RESOURCE("page.js", page_js),
    RESOURCE("lighthouse.json", lighthouse_json),
    RESOURCE("names.json", names_json),
    RESOURCE("words.json", words_json),
    RESOURCE("staffbook.bash", staffbook_bash),
    RESOURCE("staffbook.fish", staffbook_fish),
    RESOURCE("staffbook.zsh", staffbook_zsh),
};

struct staffbook_resource staffbook_resource_named(const char *name) {
  for (size_t i = 0; i < sizeof resources / sizeof *resources; i++)
    if (strcmp(resources[i].name, name) == 0) return resources[i];
  return (struct staffbook_resource){NULL, (const unsigned char *)"", 0};
}

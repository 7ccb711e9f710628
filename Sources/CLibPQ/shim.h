#include <libpq-fe.h>

// PG_DIAG_… are character constants, which Swift sees as unrelated integer types in different
// compilers; as enumerators they are plain int everywhere. (libpq: PQresultErrorField)
enum {
  staffbook_diag_severity = PG_DIAG_SEVERITY_NONLOCALIZED,
  staffbook_diag_sqlstate = PG_DIAG_SQLSTATE,
  staffbook_diag_message = PG_DIAG_MESSAGE_PRIMARY,
  staffbook_diag_detail = PG_DIAG_MESSAGE_DETAIL,
  staffbook_diag_hint = PG_DIAG_MESSAGE_HINT,
  staffbook_diag_context = PG_DIAG_CONTEXT,
  staffbook_diag_table = PG_DIAG_TABLE_NAME,
  staffbook_diag_column = PG_DIAG_COLUMN_NAME,
  staffbook_diag_constraint = PG_DIAG_CONSTRAINT_NAME,
};

import Platform
import SystemPackage

private let archives = FilePath(#filePath).removingLastComponent().removingLastComponent()
  .appending("Archives")

/// Fills an empty database with one of step 14, which `Tests/Archives` describes.
package func restoreStep14(into conninfo: String) async throws {
  let archive = archives.appending("step14.sql.gz")
  // The archive grants them rights.
  let roles = """
    do $$
    declare
      role name;
    begin
      foreach role in array '{reader,editor,historian,admin,server}'::name[] loop
        begin
          execute format('create role %I nologin', 'staffbook_' || role);
        exception when duplicate_object or unique_violation then null;
        end;
      end loop;
    end
    $$;
    """
  let script = """
    { printf '%s\\n' "$1"; gzip -dc "$2"; } | psql -qX -v ON_ERROR_STOP=1 "$3"
    """
  let outcome = try await runProgram("sh", ["-c", script, "sh", roles, archive.string, conninfo])
  guard outcome.status == 0 else { throw TestSetupError("cannot restore step 14: \(outcome)") }
}

/// Runs step 15 or 16 as it was, on a database of the step before it.
package func runFormerStep(_ version: Int, on conninfo: String) async throws {
  let file = archives.appending("step\(version).sql")
  let outcome = try await runProgram(
    "psql",
    ["-qX", "-1", "-v", "ON_ERROR_STOP=1", "-f", file.string, "--dbname=\(conninfo)"]
  )
  guard outcome.status == 0 else {
    throw TestSetupError("cannot run step \(version): \(outcome)")
  }
}

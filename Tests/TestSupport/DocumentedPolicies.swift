import Platform
import SystemPackage

/// The statements of row-level security in docs/first-steps.md, as an administrator copies them.
package func documentedPolicies() throws -> String {
  let checkout = FilePath(#filePath).removingLastComponent().removingLastComponent()
    .removingLastComponent()
  let page = try MappedFile(path: checkout.appending("docs/first-steps.md"))
    .withBytes { String(decoding: $0, as: UTF8.self) }
  guard let heading = page.firstRange(of: "\n## Row-level security\n"),
    let start = page[heading.upperBound...].firstRange(of: "<<'END'\n"),
    let end = page[start.upperBound...].firstRange(of: "\nEND\n")
  else { throw TestSetupError("docs/first-steps.md has no policies") }
  return String(page[start.upperBound..<end.lowerBound])
}

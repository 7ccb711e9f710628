import DirectoryModel
import SampleCompanies
import SystemPackage

extension StaffbookService {
  /// Writes an invented company into a folder, which is made where it is missing.
  package static func writeSample(
    _ company: SampleCompany,
    to folder: String,
    replacing: Bool,
    withFields: Bool
  ) throws(DirectoryError) {
    _ = try ExportLink.destination(of: FilePath(folder))
    try company.write(to: FilePath(folder), replacing: replacing, withFields: withFields)
  }

  /// The fields of the invented companies.
  package static let sampleFields = SampleFields.declared

  /// An import of an invented company; declares the fields of its people and departments first.
  ///
  /// - Parameters:
  ///   - company: Which one.
  ///   - withFields: Whether they have any.
  /// - Returns: The import, of files without names.
  /// - Throws: What declaring fields throws.
  package func sampleImport(
    _ company: SampleCompany,
    withFields: Bool
  ) async throws(DirectoryError) -> ImportRequest {
    let inputs = try company.spooled(withFields: withFields)
    if withFields { try await declareMissing(SampleFields.declared) }
    return ImportRequest(inputs)
  }
}

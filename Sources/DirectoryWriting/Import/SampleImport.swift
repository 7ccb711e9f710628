import DirectoryModel
import DirectoryReading
import SampleCompanies
import SystemPackage

extension SampleCompany {
  /// Writes an invented company into a folder, which is made where it is missing.
  package func write(
    to folder: String,
    replacing: Bool,
    withFields: Bool
  ) throws(DirectoryError) {
    _ = try ExportLink.destination(of: FilePath(folder))
    try write(to: FilePath(folder), replacing: replacing, withFields: withFields)
  }
}

extension FieldDeclarations {
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
    var request = ImportRequest(inputs)
    // Another company stands for no month of this one.
    request.isBraked = false
    return request
  }
}

import DirectoryModel
import SampleCompanies
import SystemPackage

extension StaffbookService {
  /// Writes an invented company into a folder, which is made where it is missing.
  package static func writeSample(
    _ company: SampleCompany,
    to folder: String,
    replacing: Bool
  ) throws(DirectoryError) {
    _ = try ExportLink.destination(of: FilePath(folder))
    try company.write(to: FilePath(folder), replacing: replacing)
  }

  /// An import of an invented company.
  package static func sampleImport(_ company: SampleCompany) throws(DirectoryError) -> ImportRequest
  {
    ImportRequest(try company.spooled())
  }
}

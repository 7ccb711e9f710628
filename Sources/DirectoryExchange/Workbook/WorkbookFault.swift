import DirectoryModel

/// Why a workbook cannot be read, as in `cannot read staff.xlsx: …`.
struct WorkbookFault: Error {
  var reason: String
  var advice: Advice?
  var kind = DirectoryError.Kind.badData
  /// What went wrong elsewhere meanwhile.
  private var other: DirectoryError?

  init(reason: String, advice: Advice? = nil, kind: DirectoryError.Kind = .badData) {
    self.reason = reason
    self.advice = advice
    self.kind = kind
  }

  init(_ other: DirectoryError) {
    self.init(reason: other.message)
    self.other = other
  }

  func directoryError(_ name: String) -> DirectoryError {
    other
      ?? DirectoryError(kind, "cannot read \(QuotedValue.path(name)): \(reason)", advice: advice)
  }

  static let cutOff = WorkbookFault(
    reason: "it begins like an Excel workbook or another ZIP archive, but is truncated or damaged",
    advice: "copy or save it again"
  )

  static func damaged(_ what: String) -> WorkbookFault {
    WorkbookFault(reason: "the file is damaged: \(what)", advice: "copy or save it again")
  }
}

import DirectoryModel

/// How files are written, where somebody says it; what nobody says is detected and told.
package struct InputForm: Sendable {
  /// What they are written in.
  package var encoding: String?
  /// What parts the fields of those that are CSV.
  package var separator: FieldSeparator?
  /// The sheet of workbooks.
  package var sheet: String?
  /// Whether tables are personnel lists, whatever their columns are.
  package var isPersonnel = false
  /// Whether it is UTF-8 with commas unless somebody says otherwise, and no workbook: the three files of
  /// a folder, of which one that is not so is a mistake.
  var isExact = false

  package init(encoding: String? = nil, separator: FieldSeparator? = nil) {
    self.encoding = encoding
    self.separator = separator
  }

  var exact: InputForm {
    var form = self
    form.isExact = true
    return form
  }

  /// Whether nothing is left to be detected.
  var isKnown: Bool { encoding != nil || separator != nil || isPersonnel }
}

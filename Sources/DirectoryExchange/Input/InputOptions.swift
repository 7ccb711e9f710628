import DirectoryModel

/// How files are written, as far as that is given; the rest is detected and reported.
package struct InputOptions: Sendable {
  /// What they are written in.
  package var encoding: String?
  /// What parts the fields of those that are CSV.
  package var separator: FieldSeparator?
  /// The sheet of workbooks.
  package var sheet: String?
  /// Whether tables are personnel lists, whatever their columns are.
  package var isPersonnel = false
  /// Whether it is UTF-8 with commas unless told otherwise, and no workbook: the three files of
  /// a folder, of which one that is not so is a mistake.
  var isExact = false

  package init(encoding: String? = nil, separator: FieldSeparator? = nil) {
    self.encoding = encoding
    self.separator = separator
  }

  var exact: InputOptions {
    var form = self
    form.isExact = true
    return form
  }

  /// Whether nothing is left to be detected.
  var isKnown: Bool { encoding != nil || separator != nil || isPersonnel }
}

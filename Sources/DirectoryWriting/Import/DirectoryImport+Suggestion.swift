import DirectoryExchange
import DirectoryModel
import LiveDirectory

extension DirectoryImport {
  /// Guesses what the columns of a personnel list are; needs no database.
  ///
  /// - Parameter request: One file, and how it is written where that is known.
  /// - Returns: The entries of a mapping, with reasons.
  /// - Throws: Where the file cannot be read, or is not a table whose headings are known.
  package func suggestMapping(
    for request: ImportRequest
  ) throws(DirectoryError) -> SuggestedMapping {
    var form = try request.form(nil)
    form.isPersonnel = true
    let file = try InputFile.readable(request.paths[0], form)
    try file.requireTable()
    let notes = file.traits.notes
    if !notes.isEmpty { site.notice("\(file.name): \(notes.joined(separator: ", "))") }
    var suggestion = try MappingDetector(of: file, today: today).result
    suggestion.lines.insert(
      SuggestedMapping.Line(
        key: "source",
        value: "personnel",
        reason: "the name of the list, under which its people are recorded"
      ),
      at: 0
    )
    // The next import is told the same.
    for (key, value) in [
      ("sheet", request.sheet), ("encoding", request.encoding ?? file.traits.chosenEncoding),
      ("separator", request.separator),
    ] {
      guard let value else { continue }
      suggestion.lines.append(
        SuggestedMapping.Line(key: key, value: value, reason: "as used for this suggestion")
      )
    }
    return suggestion
  }
}

/// In which of several encodings a file is, where each yields a text that may be meant.
package struct EncodingQuestion: Sendable, Equatable {
  /// A few names of the file as an encoding has them.
  package struct Reading: Sendable, Equatable {
    package var encoding: String
    /// Quoted for messages; the same names in all readings.
    package var examples: [String]

    package init(encoding: String, examples: [String]) {
      self.encoding = encoding
      self.examples = examples
    }

    /// For people.
    package var text: String { "\(encoding): \(examples.joined(separator: ", "))" }
  }

  /// The file's name as the person gave it.
  package var file: String
  /// The likeliest first; two at least.
  package var readings: [Reading]

  package init(file: String, readings: [Reading]) {
    self.file = file
    self.readings = readings
  }
}

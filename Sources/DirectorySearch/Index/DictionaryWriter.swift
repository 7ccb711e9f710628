import DirectorySnapshot

/// Sorts the words and readings of a field and writes them with their documents.
struct DictionaryWriter {
  /// Calls its second argument with the number of each text of a document, from 0 on.
  typealias TextsOfDocument = (_ document: Int, _ body: (Int) -> Void) -> Void

  private let section: IndexSection
  private let field: FieldBuilder
  private let firstDocument: Int
  private let documentCount: Int
  private let texts: TextsOfDocument

  init(
    _ section: IndexSection,
    _ field: FieldBuilder,
    from firstDocument: Int = 0,
    documentCount: Int,
    texts: @escaping TextsOfDocument
  ) {
    self.section = section
    self.field = field
    self.firstDocument = firstDocument
    self.documentCount = documentCount
    self.texts = texts
  }

  func write(to writer: inout SnapshotFileWriter) throws(SnapshotError) {
    try writeWords(to: &writer)
    try writeReadings(to: &writer)
  }

  private func writeWords(to writer: inout SnapshotFileWriter) throws(SnapshotError) {
    try write(
      field.words,
      [.wordsText, .wordsEnds, .documentStarts, .documents],
      to: &writer,
      wordsOfText: field.words(of:)
    )
    try write(
      field.variants,
      [.variantsText, .variantsEnds, .variantDocumentStarts, .variantDocuments],
      to: &writer,
      wordsOfText: field.variants(of:)
    )
  }

  private func write(
    _ words: TextInterner,
    _ parts: [DictionarySection],
    to writer: inout SnapshotFileWriter,
    wordsOfText: (Int) -> ArraySlice<UInt32>
  ) throws(SnapshotError) {
    let sorted = words.sorted()
    let places = Self.places(of: sorted)
    try addTexts(words, sorted, parts[0], parts[1], to: &writer)
    let texts = texts
    let postings = Postings(keyCount: sorted.count, documentCount: documentCount) {
      document,
      body in
      texts(document) { text in for word in wordsOfText(text) { body(places[Int(word)]) } }
    }
    try writer.add(section.part(parts[2]), postings.starts)
    try writer.add(section.part(parts[3]), numbers(postings))
  }

  private func writeReadings(to writer: inout SnapshotFileWriter) throws(SnapshotError) {
    let readings = field.readings
    try addTexts(readings, Array(0..<readings.count), .readingsText, .readingsEnds, to: &writer)
    let field = field
    let texts = texts
    let postings = Postings(keyCount: readings.count, documentCount: documentCount) {
      document,
      body in
      texts(document) { text in if let number = field.readings(of: text) { body(number) } }
    }
    try writer.add(section.part(.readingDocumentStarts), postings.starts)
    try writer.add(section.part(.readingDocuments), numbers(postings))
    try ReadingStarts(readings).write(section, to: &writer)
  }

  /// The documents by the numbers that they have in the file.
  private func numbers(_ postings: Postings) -> [UInt32] {
    if firstDocument == 0 { return postings.documents }
    return postings.documents.map { $0 + UInt32(firstDocument) }
  }

  private static func places(of sorted: [Int]) -> [UInt32] {
    var places = [UInt32](repeating: 0, count: sorted.count)
    for (place, number) in sorted.enumerated() { places[number] = UInt32(place) }
    return places
  }

  private func addTexts(
    _ texts: TextInterner,
    _ sorted: [Int],
    _ text: DictionarySection,
    _ ends: DictionarySection,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    var bytes: [UInt8] = []
    var rows: [UInt32] = []
    rows.reserveCapacity(sorted.count)
    for number in sorted {
      texts.withBytes(of: number) { bytes.append(contentsOf: $0) }
      rows.append(UInt32(bytes.count))
    }
    try writer.add(section.part(text), bytes)
    try writer.add(section.part(ends), rows)
  }
}

import DirectorySnapshot

/// Sorts the words and readings of a field and makes the sections with their documents.
struct DictionaryWriter {
  private let section: IndexSection
  private let field: FieldBuilder
  private let firstDocument: Int
  private let texts: NumberLists
  private var sections = IndexSections()

  /// The sections of a dictionary.
  ///
  /// - Parameters:
  ///   - section: The first one.
  ///   - field: The texts.
  ///   - firstDocument: The number of the first document.
  ///   - texts: The numbers of each document's texts in `field`.
  ///   - initials: The texts' initials, and by text the numbers of its own; `nil` for none.
  /// - Returns: What is to be written.
  static func sections(
    _ section: IndexSection,
    _ field: FieldBuilder,
    from firstDocument: Int = 0,
    texts: NumberLists,
    initials: (words: TextInterner, ofTexts: NumberLists)? = nil
  ) -> IndexSections {
    var writer = DictionaryWriter(section, field, firstDocument, texts)
    writer.addWords()
    writer.addReadings()
    if let initials { writer.add(initials.words, initials.ofTexts, .initials) }
    return writer.sections
  }

  private init(_ section: IndexSection, _ field: FieldBuilder, _ first: Int, _ texts: NumberLists) {
    self.section = section
    self.field = field
    firstDocument = first
    self.texts = texts
  }

  private mutating func addWords() {
    add(field.words, field.textWords, .words)
    add(field.variants, field.textVariants, .variants)
  }

  private mutating func add(
    _ words: TextInterner,
    _ wordsOfTexts: NumberLists,
    _ kind: WordDictionary.Kind
  ) {
    let parts = kind.sections
    let sorted = words.sorted()
    let places = Self.places(of: sorted)
    addTexts(words, sorted, parts[0], parts[1])
    let postings = Postings(
      keyCount: sorted.count,
      texts,
      wordsOfTexts.mapElements { places[Int($0)] }
    )
    sections.add(section.part(parts[2]), postings.starts)
    sections.add(section.part(parts[3]), numbers(postings))
  }

  private mutating func addReadings() {
    let readings = field.readings
    addTexts(readings, Array(0..<readings.count), .readingsText, .readingsEnds)
    let postings = Postings(
      keyCount: readings.count,
      texts,
      NumberLists(field.textReadings, none: FieldBuilder.noReadings)
    )
    sections.add(section.part(.readingDocumentStarts), postings.starts)
    sections.add(section.part(.readingDocuments), numbers(postings))
    ReadingSuffixes(readings).add(section, to: &sections)
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

  private mutating func addTexts(
    _ texts: TextInterner,
    _ sorted: [Int],
    _ text: DictionarySection,
    _ ends: DictionarySection
  ) {
    var bytes: [UInt8] = []
    var rows: [UInt32] = []
    rows.reserveCapacity(sorted.count)
    for number in sorted {
      texts.withBytes(of: number) { bytes.append(contentsOf: $0) }
      rows.append(UInt32(bytes.count))
    }
    sections.add(section.part(text), bytes)
    sections.add(section.part(ends), rows)
  }
}

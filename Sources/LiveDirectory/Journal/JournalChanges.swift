import DirectoryModel

/// The columns in which records have values, by name: the journal outlives programs, and what one of
/// them wrote another may have other columns for.
struct JournalColumns: Equatable {
  private let names: [[String]]
  /// For each kind, where the values of today's columns are in what was written; `nil` where they are
  /// in today's order.
  private var places: [[Int?]]?

  /// Today's.
  static let present = JournalColumns(
    names: RecordKind.allCases.map { $0.valueColumns.map(\.name) }
  )

  private init(names: [[String]]) { self.names = names }

  init?(from reader: inout JournalBytesReader) {
    var names: [[String]] = []
    for _ in RecordKind.allCases {
      guard let columns = reader.list({ $0.text() }) else { return nil }
      names.append(columns)
    }
    self.names = names
    let present = Self.present.names
    guard names != present else { return }
    places = zip(names, present).map { written, present in
      present.map { name in written.firstIndex(of: name) }
    }
  }

  func append(to writer: inout JournalBytesWriter) {
    for columns in names {
      writer.append(columns.count)
      for name in columns { writer.append(name) }
    }
  }

  /// The values of today's columns; `nil` for a number of values that does not fit.
  func values(of kind: RecordKind, from reader: inout JournalBytesReader) -> [String?]? {
    let index = RecordKind.allCases.firstIndex(of: kind) ?? 0
    var written: [String?] = []
    for _ in names[index] {
      guard let value = reader.optionalText() else { return nil }
      written.append(value)
    }
    guard let places else { return written }
    return places[index].map { place in place.flatMap { written[$0] } }
  }
}

extension JournalBytesWriter {
  /// Of a person whose values were erased only what happened; of one who was removed not the id.
  mutating func append(_ change: Change) {
    var flags = JournalFlags(change.action)
    if change.kind == .user { flags.insert(.isUser) }
    if change.before != nil { flags.insert(.hasBefore) }
    if change.after != nil { flags.insert(.hasAfter) }
    if change.isForgotten { flags.insert(.isForgotten) }
    append(flags.rawValue)
    append(change.id)
    guard !change.isForgotten else { return }
    for state in [change.before, change.after] {
      if let state { append(state, of: change.kind) }
    }
  }

  private mutating func append(_ state: Change.State, of kind: RecordKind) {
    for value in state.values { append(optional: value) }
    append(state.fields.text)
    append(state.main == nil ? 0 : 1)
    if let main = state.main { append(main) }
    append(state.posts.count)
    for post in state.posts {
      append(post.place)
      for value in post.values { append(optional: value) }
    }
  }

  private mutating func append(_ place: Change.Place) {
    append(place.id.rawValue)
    append(place.name)
  }
}

extension JournalBytesReader {
  mutating func change(_ columns: JournalColumns) -> Change? {
    guard let byte = byte(), let id = text() else { return nil }
    let flags = JournalFlags(rawValue: byte)
    let kind = flags.contains(.isUser) ? RecordKind.user : .department
    guard let action = flags.action else { return nil }
    var change = Change(kind: kind, action: action, id: id)
    if flags.contains(.isForgotten) {
      // Journals of before say of nothing whether it was there.
      let isUnknown = flags.isDisjoint(with: [.hasBefore, .hasAfter])
      if isUnknown { change.action = .changed }
      if isUnknown || flags.contains(.hasBefore) { change.before = .forgotten(kind) }
      if isUnknown || flags.contains(.hasAfter) { change.after = .forgotten(kind) }
      return change
    }
    if flags.contains(.hasBefore) {
      guard let state = state(of: kind, columns) else { return nil }
      change.before = state
    }
    if flags.contains(.hasAfter) {
      guard let state = state(of: kind, columns) else { return nil }
      change.after = state
    }
    return change
  }

  private mutating func state(of kind: RecordKind, _ columns: JournalColumns) -> Change.State? {
    guard let values = columns.values(of: kind, from: &self), let fields = text(),
      let hasMain = number()
    else { return nil }
    var main: Change.Place?
    if hasMain == 1 {
      guard let place = place() else { return nil }
      main = place
    }
    let posts = list { reader -> Change.Post? in
      guard let place = reader.place(), let values = columns.values(of: .membership, from: &reader)
      else { return nil }
      return Change.Post(place: place, values: values)
    }
    guard let posts else { return nil }
    return Change.State(
      name: values.first.flatMap { $0 } ?? "",
      values: values,
      fields: FieldValues(canonical: fields),
      main: main,
      posts: posts
    )
  }

  private mutating func place() -> Change.Place? {
    guard let id = text(), let name = text() else { return nil }
    return Change.Place(id: DepartmentID(id), name: name)
  }
}

/// What a change begins with: its kind, which sides it has, and its action in the two bits above.
private struct JournalFlags: OptionSet {
  let rawValue: UInt8

  static let isUser = JournalFlags(rawValue: 1 << 0)
  static let hasBefore = JournalFlags(rawValue: 1 << 1)
  static let hasAfter = JournalFlags(rawValue: 1 << 2)
  static let isForgotten = JournalFlags(rawValue: 1 << 3)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ action: Change.Action) {
    let place = Change.Action.allCases.firstIndex(of: action) ?? 0
    self.init(rawValue: UInt8(place) << 4)
  }

  var action: Change.Action? {
    let place = Int(rawValue >> 4)
    return place < Change.Action.allCases.count ? Change.Action.allCases[place] : nil
  }
}

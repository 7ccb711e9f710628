import DirectoryModel
import DirectoryStore
import TextRules

/// Ids for records that come without one: the name in Latin letters, and a number where it is taken, or was
/// another record's at any time.
///
///     Zoë Fernlicht       zoe.fernlicht, then zoe.fernlicht2
///     Fog Signals         fog-signals
enum IDGenerator {
  /// Letters and digits of the name, words parted by a sign; the kind where the name has none.
  static func base(_ name: String, of kind: RecordKind) -> String {
    let words = latinWords(name) ?? readWords(name, kind)
    let sign = kind == .user ? "." : "-"
    // Room for a number, and nothing that needs more than a line.
    let id = String(words.joined(separator: sign).prefix(64))
    return id.isEmpty ? kind.rawValue : id
  }

  /// The words without case and accents; `nil` where a letter is not Latin.
  private static func latinWords(_ name: String) -> [String]? {
    let folded = Folding.fold(name)
    guard !folded.unicodeScalars.contains(where: { !$0.isASCII && $0.properties.isAlphabetic })
    else { return nil }
    return folded.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.map(String.init)
  }

  private static func readWords(_ name: String, _ kind: RecordKind) -> [String] {
    let readings = ReadingUnits(name, of: kind == .user ? .person : .other).readings
    return readings.split(separator: ReadingTable.border).map { word in
      var letters: [UInt8] = []
      for reading in word { ReadingTable.appendMainSpelling(of: reading, to: &letters) }
      return String(decoding: letters, as: UTF8.self).filter {
        $0.isASCII && ($0.isLetter || $0.isNumber)
      }
    }.filter { !$0.isEmpty }
  }

  /// Ids that are not in use here, and that no record of the database has or ever had; of several with one
  /// name the first gets the first.
  ///
  /// - Parameters:
  ///   - records: What comes without an id.
  ///   - editor: Knows the ids of the database.
  ///   - isTaken: Whether an id is given away here.
  /// - Returns: An id for each.
  /// - Throws: When the database cannot be asked.
  /// - Complexity: O(n) and a few statements, each of which asks for more numbers than the one before.
  static func make(
    for records: [(kind: RecordKind, name: String)],
    _ editor: DirectoryEditor,
    isTaken: (RecordKey) -> Bool
  ) async throws(DirectoryError) -> [String] {
    var ids = [String](repeating: "", count: records.count)
    for kind in [RecordKind.department, .user] {
      var queues = queues(of: records, kind)
      var given: Set<ItemText> = []
      var room = 4
      while !queues.isEmpty {
        for index in queues.indices { queues[index].ask(room: room) }
        let taken = try await editor.used(queues.flatMap(\.candidates), by: kind)
        for index in queues.indices {
          for id in queues[index].candidates where !queues[index].isEmpty {
            guard !taken.contains(ItemText(id)), !isTaken(RecordKey(kind, id)),
              given.insert(ItemText(id)).inserted
            else { continue }
            ids[queues[index].next()] = id
          }
        }
        queues.removeAll(where: \.isEmpty)
        room *= 8
      }
    }
    return ids
  }

  /// Records that want the same id, and the numbers that were tried behind it.
  private struct Queue {
    let base: String
    var waiting: [Int] = []
    private var served = 0
    private var numbers = 1..<1

    init(_ base: String) { self.base = base }

    var isEmpty: Bool { served == waiting.count }

    var candidates: [String] { numbers.map { $0 == 1 ? base : "\(base)\($0)" } }

    mutating func ask(room: Int) {
      numbers = numbers.upperBound..<(numbers.upperBound + waiting.count - served + room)
    }

    mutating func next() -> Int {
      served += 1
      return waiting[served - 1]
    }
  }

  private static func queues(
    of records: [(kind: RecordKind, name: String)],
    _ kind: RecordKind
  ) -> [Queue] {
    var queues: [Queue] = []
    var places: [String: Int] = [:]
    for (index, record) in records.enumerated() where record.kind == kind {
      let base = base(record.name, of: kind)
      if places[base] == nil {
        places[base] = queues.count
        queues.append(Queue(base))
      }
      queues[places[base] ?? 0].waiting.append(index)
    }
    return queues
  }
}

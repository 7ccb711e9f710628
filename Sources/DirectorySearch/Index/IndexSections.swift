import DirectorySnapshot

/// Sections of an index that are worked out and not yet written.
struct IndexSections: Sendable {
  private enum Elements: Sendable {
    case bytes([UInt8])
    case words([UInt32])
    case longs([UInt64])
  }

  private var sections: [(id: UInt32, elements: Elements)] = []

  mutating func add(_ id: UInt32, _ elements: [UInt8]) { sections.append((id, .bytes(elements))) }
  mutating func add(_ id: UInt32, _ elements: [UInt32]) { sections.append((id, .words(elements))) }
  mutating func add(_ id: UInt32, _ elements: [UInt64]) { sections.append((id, .longs(elements))) }

  consuming func write(to writer: inout SnapshotFileWriter) throws(SnapshotError) {
    for section in sections {
      switch section.elements {
      case .bytes(let bytes): try writer.add(section.id, bytes)
      case .words(let words): try writer.add(section.id, words)
      case .longs(let longs): try writer.add(section.id, longs)
      }
    }
  }
}

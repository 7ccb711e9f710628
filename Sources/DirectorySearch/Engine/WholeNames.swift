import DirectoryModel
import DirectorySnapshot
import OutlineEngine
import TextRules

extension SearchEngine {
  /// Departments or people whose names fold to the same as a text, or, where it folds to nothing, to
  /// nothing as well.
  ///
  /// - Parameters:
  ///   - text: A whole name.
  ///   - owner: `.department` or `.user`.
  /// - Returns: Rows, rising; people without a place may be left out.
  /// - Throws: `SearchError.snapshot`.
  /// - Complexity: O(records with a word of the name) with an index, O(bytes of names) without.
  package func rows(
    named text: String,
    _ owner: RecordKind
  ) throws(SearchError) -> [Int] {
    let wanted = Array(Folding.fold(text).utf8)
    return try SearchError.reading { () throws(SnapshotError) in
      // A blank is not a word: what folds to one is in no dictionary.
      guard let index, wanted.contains(where: { $0 != 0x20 }) else {
        return try rows(whoseNamesFoldTo: wanted, owner)
      }
      let names = owner == .department ? parts.departments.names : parts.users.names
      var folded: [UInt8] = []
      var found: [Int] = []
      for row in try rows(withWordsOf: wanted, owner, index) {
        try names.withBytes(at: row) { name in
          folded.removeAll(keepingCapacity: true)
          Folding.appendFolded(name, to: &folded)
        }
        if folded == wanted { found.append(row) }
      }
      return found.sorted()
    }
  }

  private func rows(
    whoseNamesFoldTo wanted: [UInt8],
    _ owner: RecordKind
  ) throws(SnapshotError) -> [Int] {
    let names = try (owner == .department ? parts.departments.names : parts.users.names).verified()
    var folded: [UInt8] = []
    return (0..<names.count).filter { row in
      folded.removeAll(keepingCapacity: true)
      names.withBytes(at: row) { Folding.appendFolded($0, to: &folded) }
      return folded == wanted
    }
  }

  /// Those whose names have all words of a folded one, and those that dictionaries have no room for.
  private func rows(
    withWordsOf folded: [UInt8],
    _ owner: RecordKind,
    _ index: SearchIndex
  ) throws(SnapshotError) -> Set<Int> {
    let words = folded.split(separator: 0x20).map { Array($0) }
    var documents: [UInt32] = []
    if owner == .department {
      for ordinal in try index.departments.words.numbers(withAll: words)
      where Int(ordinal) < index.shape.count {
        documents.append(try index.departmentDocuments[Int(ordinal)])
      }
    } else {
      for segment in index.segments {
        documents += try segment.names.words.numbers(withAll: words)
      }
    }
    for odd in 0..<index.unindexedDocuments.count {
      documents.append(try index.unindexedDocuments[odd])
    }
    var rows: Set<Int> = []
    for document in documents where document < index.documentCount {
      switch (try index.presentRecord(of: Int(document)), owner) {
      case (.user(let user), .user): rows.insert(user)
      case (.department(let ordinal), .department): rows.insert(Int(shape.rows[ordinal]))
      default: continue
      }
    }
    return rows
  }
}

extension WordDictionary {
  /// What has all of some words, rising.
  ///
  /// - Complexity: O(what has each of them).
  fileprivate func numbers(withAll words: [[UInt8]]) throws(SnapshotError) -> [UInt32] {
    var all: [UInt32]?
    for word in words {
      let range = try range(of: word)
      guard !range.isEmpty, all?.isEmpty != true else { return [] }
      try withDocuments(of: range) { documents in
        guard let others = all else { return all = Array(documents) }
        var next = 0
        all = others.filter { number in
          while next < documents.count, documents[next] < number { next += 1 }
          return next < documents.count && documents[next] == number
        }
      }
    }
    return all ?? []
  }
}

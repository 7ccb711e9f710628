import DirectoryModel
import Platform
import SystemPackage
import YAML

/// A file of questions whether people of a list are those of certain records, with answers.
///
///     - question: "= Bo Dahl (02) may be Bo Dahl (77) in the list: the same last name and department"
///       list: "77"
///       recorded: "02"
///       answer: yes
///
/// A run that asks writes it, and reads it when it is repeated. Questions that are no longer asked stay
/// with their answers.
struct DecisionFile {
  private struct Entry {
    var question: String
    var list: String
    var recorded: String
    /// As it is written; empty where there is none.
    var answer: String
    var line: Int
  }

  private let path: String
  private var entries: [Entry] = []

  /// Reads it; one that is not there is empty.
  ///
  /// - Throws: `.cannotRead`, and `.usage` with the line where it is not such a file.
  init(_ path: String) throws(DirectoryError) {
    self.path = path
    let file: MappedFile
    do throws(Errno) {
      file = try MappedFile(path: FilePath(path))
    } catch .noSuchFileOrDirectory {
      return
    } catch {
      throw DirectoryError(.cannotRead, "cannot read the answers \(path): \(error)")
    }
    let root = try file.withBytes { bytes throws(DirectoryError) in
      try YAMLReader.read(bytes, file: path)
    }
    if root.text == "" { return }
    guard case .sequence(let items) = root.content else {
      throw YAMLValue.error(path, root.line, "these are not answers to questions of an import")
    }
    for item in items { entries.append(try entry(item)) }
  }

  private func entry(_ item: YAMLValue) throws(DirectoryError) -> Entry {
    var entry = Entry(question: "", list: "", recorded: "", answer: "", line: item.line)
    for (key, value) in try item.entries(of: "an answer", file: path) {
      let text = try value.text(of: "a value of an answer", file: path)
      switch key.text {
      case "question": entry.question = text
      case "list": entry.list = text
      case "recorded": entry.recorded = text
      case "answer": (entry.answer, entry.line) = (text, value.line)
      default:
        throw YAMLValue.error(
          path,
          key.line,
          "there is no key \"\(key.text ?? "")\"",
          "the keys are question, list, recorded and answer"
        )
      }
    }
    guard !entry.list.isEmpty, !entry.recorded.isEmpty else {
      throw YAMLValue.error(path, item.line, "an answer needs the keys list and recorded")
    }
    if !entry.answer.isEmpty, Self.truth(entry.answer) == nil {
      throw YAMLValue.error(
        path,
        entry.line,
        "\"\(entry.answer)\" is not an answer",
        "write yes or no"
      )
    }
    return entry
  }

  private static func truth(_ answer: String) -> Bool? {
    switch answer.lowercased() {
    case "yes", "y", "true": true
    case "no", "n", "false": false
    default: nil
    }
  }

  /// The answers that it has to questions, and the questions that it does not answer.
  ///
  /// - Complexity: O(entries + questions).
  func answers(to doubts: [ListMatch]) -> (known: [MatchDecision], open: [ListMatch]) {
    var truths: [[ItemText]: Bool] = [:]
    for entry in entries {
      if let truth = Self.truth(entry.answer) {
        truths[[ItemText(entry.list), ItemText(entry.recorded)]] = truth
      }
    }
    var known: [MatchDecision] = []
    var open: [ListMatch] = []
    for doubt in doubts {
      if let truth = truths[[ItemText(doubt.id), ItemText(doubt.recordedID)]] {
        known.append(MatchDecision(doubt, isSame: truth))
      } else {
        open.append(doubt)
      }
    }
    return (known, open)
  }

  /// Writes it with further questions, and with those answers to them that there are.
  ///
  /// - Throws: `.cannotWrite`.
  mutating func write(
    asking doubts: [ListMatch],
    _ answers: [MatchDecision]
  ) throws(DirectoryError) {
    var asked: Set<[ItemText]> = []
    for doubt in doubts { asked.insert([ItemText(doubt.id), ItemText(doubt.recordedID)]) }
    entries.removeAll { asked.contains([ItemText($0.list), ItemText($0.recorded)]) }
    for (index, doubt) in doubts.enumerated() {
      let answer = index < answers.count ? answers[index].isSame ? "yes" : "no" : ""
      entries.append(
        Entry(
          question: doubt.text,
          list: doubt.id,
          recorded: doubt.recordedID,
          answer: answer,
          line: 0
        )
      )
    }
    do throws(Errno) {
      let file = try AtomicFile(
        target: FilePath(path),
        permissions: .ownerReadWrite,
        existing: .replaced
      )
      do {
        _ = try file.descriptor.writeAll(text.utf8)
      } catch {
        throw error as? Errno ?? .ioError
      }
      try file.commit()
    } catch {
      throw DirectoryError(.cannotWrite, "cannot write the questions to \(path): \(error)")
    }
  }

  private var text: String {
    """
    # Is the person of the list the recorded one? Write yes or no behind each "answer:", and repeat the
    # import with this file. Of a record that was removed here, yes brings it back, and no leaves the
    # person out, also from now on.

    """
      + entries.map { entry in
        """
        - question: \(YAMLWriter.scalar(entry.question))
          list: \(Self.quoted(entry.list))
          recorded: \(Self.quoted(entry.recorded))
          answer: \(entry.answer)

        """
      }.joined()
  }

  /// An id in quotes, so that programs which take plain digits for numbers keep its zeros.
  private static func quoted(_ id: String) -> String {
    let scalar = YAMLWriter.scalar(id)
    return scalar.hasPrefix("\"") ? scalar : "\"\(scalar)\""
  }
}

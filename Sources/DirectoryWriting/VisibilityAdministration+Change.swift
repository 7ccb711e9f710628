import DirectoryModel
import DirectoryReading
import LiveDirectory
import SiteSettings

extension VisibilityAdministration {
  /// What a list would change, before it does: in the list, and by the snapshot for those who look.
  ///
  /// - Parameters:
  ///   - rules: The list that may come.
  ///   - former: The list that holds.
  ///   - move: The places, from 1, between which one rule was moved, where that is all that was done.
  /// - Returns: What is another then, and what is hardly meant.
  /// - Throws: `.badData` for a list that is not sound; what a snapshot says.
  package func preview(
    _ rules: VisibilityRules,
    replacing former: VisibilityRules,
    move: (from: Int, to: Int)? = nil
  ) async throws(DirectoryError) -> VisibilityPreview {
    func refusal(_ fault: String) -> DirectoryError {
      DirectoryError(
        .badData,
        "cannot change the visibility rules: \(fault)",
        advice: "nothing was changed"
      )
    }
    let rules = rules.keepingIdentities(of: former)
    if let fault = rules.fault { throw refusal(fault) }
    var preview = VisibilityPreview()
    preview.lines = VisibilityPreview.lines(from: former, to: rules)
    if let move, !preview.isEmpty {
      // Of two neighbours that change places, either may be the one that moved.
      let rule = rules.rules[move.to - 1].description
      preview.lines = [.moved(from: move.from, to: move.to, rule)]
    }
    guard !preview.isEmpty else { return preview }
    var directory = try await DirectoryOpener(session).directory()
    if !rules.unknownFields(directory.declaredFields).isEmpty {
      // It may have been declared since.
      directory = try await DirectoryOpener(session).directory(fresh: true)
    }
    let unknown = rules.unknownFields(directory.declaredFields)
    let before = Set(former.unknownFields(directory.declaredFields).map(\.name))
    if let new = unknown.first(where: { !before.contains($0.name) }) { throw refusal(new.text) }
    do {
      let effects = try directory.effects(from: former, to: rules)
      preview.effects = effects.sentences
      preview.warnings = unknown.map { "the rules will show nothing to anyone, since \($0.text)" }
      preview.warnings += try warnings(of: rules, replacing: former, in: directory)
      preview.warnings += try directory.warnings(of: rules) + effects.warnings
    } catch {
      throw DirectoryError(describing: error)
    }
    return preview
  }

  /// A list in which some rules and groups mean the records that have the ids now.
  ///
  /// What no record has means the same one as before.
  ///
  /// - Parameters:
  ///   - rules: The list.
  ///   - places: Where the rules are in it, from 1.
  ///   - groups: The names of the groups.
  /// - Returns: The list, for `preview` and `write`.
  /// - Throws: `.notFound` for a group that is not there; what a sync says.
  package func confirmed(
    _ rules: VisibilityRules,
    places: [Int],
    groups: [String]
  ) async throws(DirectoryError) -> VisibilityRules {
    var confirmed = rules
    if let missing = groups.first(where: { rules.groups[$0] == nil }) {
      throw DirectoryError(.notFound, "cannot confirm the group \(missing): there is no such group")
    }
    let directory = try await DirectoryOpener(session).directory(fresh: true)
    do {
      for place in places where rules.rules.indices.contains(place - 1) {
        confirmed.rules[place - 1] = try directory.confirmed(rules.rules[place - 1])
      }
      for group in groups {
        for person in rules.groups[group] ?? [] {
          guard let identity = try directory.identity(of: .user(person)) else { continue }
          confirmed.memberIdentities[group, default: [:]][person] = identity
        }
      }
    } catch {
      throw DirectoryError(describing: error)
    }
    return confirmed
  }

  /// New rules and groups that refer to what is not there.
  private func warnings(
    of rules: VisibilityRules,
    replacing former: VisibilityRules,
    in directory: Directory
  ) throws -> [String] {
    let known = Set(try directory.missingRecords(of: former).flatMap(\.missing))
    return try directory.missingRecords(of: rules).compactMap { source, missing in
      let new = missing.filter { !known.contains($0) }
      return new.isEmpty
        ? nil : "\(source) refers to missing records or groups: \(new.joined(separator: ", "))"
    }
  }

  /// Lets the list be edited as a text.
  ///
  /// - Parameters:
  ///   - front: Opens the editor.
  ///   - editing: Told the path of the file.
  ///   - carryOut: Shows and makes the change, and says whether it was made.
  /// - Throws: What the editor, the disk and `carryOut` say.
  package func edit(
    front: EditorLauncher,
    editing: (String) -> Void,
    _ carryOut: (_ new: VisibilityRules, _ former: VisibilityRules) async throws -> Bool
  ) async throws {
    let former = try await rules()
    let directory = try await DirectoryOpener(session).directory()
    let text =
      VisibilityRules.explanationOfText
      + former.text(
        comment: { directory.names(in: $0) },
        groupComment: { directory.namesakes(inGroup: $0, of: former) }
      )
    let report: Void? = try await EditorSession(site, "edit the visibility rules", front).edit(
      text,
      in: "visibility.txt",
      editing: editing
    ) { text in
      let new: VisibilityRules
      do throws(VisibilityTextErrors) {
        new = try VisibilityRules(text: text, after: former)
      } catch {
        throw DocumentErrors(
          mistakes: error.mistakes.map { DocumentError(line: $0.line, text: $0.text) }
        )
      }
      let isDone = try await carryOut(new, former)
      return ((), isKept: !isDone)
    }
    if report == nil { site.notice("there is nothing to change") }
  }

  /// Which rules decide what a viewer sees of a record.
  ///
  /// - Parameters:
  ///   - who: A person, or `device:` and a name.
  ///   - target: A person or a department.
  /// - Returns: What decides by the rules of the snapshot, line by line.
  /// - Throws: `.notFound` where one of them is not there, or several are meant.
  package func explain(_ who: String, _ target: String) async throws -> [String] {
    let viewer = try await ViewerLookUp(Administrator(session, to: "explain what \(who) sees"))
      .viewer(who)
    let directory = try await DirectoryOpener(session).directory()
    return try directory.explanation(
      at: directory.theNode(of: target),
      for: viewer.viewer,
      named: viewer.name
    )
  }
}

extension VisibilityRules {
  fileprivate static let explanationOfText = """
    # Who may see whom: the first rule that fits a viewer and a target decides. The last rule is the base.
    #
    #   show|hide [FIELD, … of] TARGETS to|from VIEWERS
    #   unlist PEOPLE for VIEWERS
    #
    # TARGETS  everything, department ID, person ID, own departments, led departments, colleagues,
    #          people with FIELD=VALUE
    # VIEWERS  everybody, department ID, person ID, group NAME, leads, people with FIELD=VALUE, device NAME
    #
    # A group stands before the rules: group "works council" = ID, ID


    """
}

import Configuration
import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import LiveDirectory

extension VisibilityAdministration {
  /// What a list would change, before it does: in the list, and by the snapshot for those who look.
  ///
  /// - Parameters:
  ///   - rules: The list that may come.
  ///   - former: The list that holds.
  /// - Throws: `.badData` for a list that is not sound; what a snapshot says.
  package func preview(
    _ rules: VisibilityRules,
    replacing former: VisibilityRules
  ) async throws(DirectoryError) -> VisibilityPreview {
    if let fault = rules.fault {
      throw DirectoryError(
        .badData,
        "cannot change the visibility rules: \(fault.text)",
        advice: "nothing was changed"
      )
    }
    var preview = VisibilityPreview()
    preview.lines = VisibilityPreview.lines(from: former, to: rules)
    let directory = try await DirectoryDoor(session).directory()
    preview.warnings = try directory.warnings(of: rules)
    guard !preview.isEmpty else { return preview }
    let difference = try directory.difference(from: former, to: rules)
    preview.warnings += try directory.warnings(of: difference)
    preview.difference = difference
    return preview
  }

  /// Lets the list be edited as a text.
  ///
  /// - Parameters:
  ///   - front: Opens the editor.
  ///   - editing: Told the path of the file.
  ///   - carryOut: Shows and makes the change, and says whether it was made.
  /// - Throws: What the editor, the disk and `carryOut` say.
  package func edit(
    front: EditorFront,
    editing: (String) -> Void,
    _ carryOut: (_ new: VisibilityRules, _ former: VisibilityRules) async throws -> Bool
  ) async throws {
    let former = try await rules()
    let directory = try await DirectoryDoor(session).directory()
    let text = VisibilityRules.explanationOfText + former.text { directory.names(in: $0) }
    let report: Void? = try await EditingRounds(site, "edit the visibility rules", front).edit(
      text,
      in: "visibility.txt",
      editing: editing
    ) { text in
      let new: VisibilityRules
      do throws(VisibilityTextMistakes) {
        new = try VisibilityRules(text: text, after: former)
      } catch {
        throw DocumentMistakes(
          mistakes: error.mistakes.map { DocumentMistake(line: $0.line, text: $0.text) }
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
  /// - Returns: What decides, by the rules of the snapshot.
  /// - Throws: `.notFound` where one of them is not there, or several are meant.
  package func explain(
    _ who: String,
    _ target: String
  ) async throws -> ExplainedVisibility {
    let viewer = try await Administrator(session, to: "explain what \(who) sees").viewer(who)
    let directory = try await DirectoryDoor(session).directory()
    let row = try directory.listRow(at: directory.theNode(of: target))
    guard let explanation = try directory.explanation(of: row.kind, row.id, for: viewer.viewer)
    else {
      throw DirectoryError(.notFound, "cannot explain what \(who) sees: there is no such viewer")
    }
    return ExplainedVisibility(
      viewer: viewer.name,
      record: row.name,
      explanation: explanation,
      rules: try directory.visibilityRules().rules,
      hiddenFields: Set(directory.declaredFields.of(row.kind).filter { !$0.isVisible }.map(\.name)),
      names: Dictionary(
        explanation.departments.map { ($0, (try? directory.departmentName($0)) ?? $0.rawValue) },
        uniquingKeysWith: { first, _ in first }
      )
    )
  }
}

/// What a viewer sees of a record, and why.
package struct ExplainedVisibility: Sendable {
  package var viewer: String
  package var record: String
  package var explanation: VisibilityExplanation
  /// The rules in order, as sentences.
  package var rules: [VisibilityRule]
  /// Fields that are declared to be visible to nobody.
  package var hiddenFields: Set<String>
  /// The names of departments.
  package var names: [DepartmentID: String]
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

import DirectoryModel
import DirectoryReading
import DirectoryStore

extension EditPlanner {
  /// Makes one person of two: the first stays, with what only the second has; anyone who names the
  /// second names the first.
  mutating func merge(_ who: String, _ other: String) async throws {
    let (key, double) = (try await find(who, .user), try await find(other, .user))
    guard key != double else {
      throw refusal(.usage, "both are \(draft[key]?.name ?? who) (id:\(key.id))")
    }
    guard var state = draft[key], let lost = draft[double] else { return }
    for membership in lost.memberships {
      if let index = state.memberships.firstIndex(where: { $0.place.id == membership.place.id }) {
        if state.memberships[index].value(.title).isEmpty {
          state.memberships[index].set(.title, membership.value(.title))
        }
        if membership.value(.leads) == "true" { state.memberships[index].set(.leads, "true") }
      } else {
        state.memberships.append(membership)
      }
    }
    for (index, value) in state.values.enumerated() where (value ?? "").isEmpty {
      state.values[index] = lost.values[index]
    }
    state.fields = FieldValues(joined(state.fields.values ?? [:], lost.fields.values ?? [:]))
    draft[key] = state
    try await replaceNamed([double.id], by: key.id)
    // What the second said of the first.
    var values = draft[key]?.fields.values ?? [:]
    for field in editor.fields.of(.user) where field.kind == .person {
      guard let texts = values[field.name]?.texts else { continue }
      let rest = texts.filter { ![key, double].contains(.user(UserID($0))) }
      guard rest.count < texts.count else { continue }
      values[field.name] = rest.isEmpty ? nil : field.isMultiple ? .several(rest) : .one(rest[0])
    }
    draft[key]?.fields = FieldValues(values)
    draft.remove(double)
    effect = .merged(UserID(double.id), into: UserID(key.id))
  }

  /// The values of the first; of fields that take several, those of both.
  private func joined(
    _ values: [String: FieldValues.Value],
    _ others: [String: FieldValues.Value]
  ) -> [String: FieldValues.Value] {
    values.merging(others) { value, other in
      guard case .several(let texts) = value else { return value }
      let known = Set(texts.map(ItemText.init))
      return .several(texts + other.texts.filter { !known.contains(ItemText($0)) })
    }
  }
}

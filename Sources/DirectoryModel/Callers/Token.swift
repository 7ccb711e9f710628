/// What a token permits; each includes those before it.
package enum TokenScope: String, CaseIterable, Comparable, Sendable {
  case read
  /// Take whole copies away.
  case copy
  case edit

  package static func < (one: Self, other: Self) -> Bool {
    allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
  }
}

/// The SHA-256 of a token's text, by which it is known; it is shown in no description.
package struct TokenHash: Hashable, Sendable, CustomStringConvertible {
  package let bytes: [UInt8]

  package init(of text: String) { bytes = SHA256.digest(of: Array(text.utf8)) }

  /// - Parameter digits: In hexadecimal.
  package init?(digits: String) {
    let digits = digits.compactMap(\.hexDigitValue)
    guard digits.count == 64 else { return nil }
    bytes = stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  package var description: String { "the hash of a token" }
}

/// A token as administrators see it: its text is kept nowhere.
package struct Token: Hashable, Sendable {
  package var id: Int64
  /// The person who acts by it, or the device.
  package var holder: Viewer
  /// The person's name; `nil` for a device, and where the database hides the person.
  package var name: String?
  package var purpose: String
  package var scope: TokenScope
  /// Times are seconds since 1970, UTC.
  package var created: Int64
  package var createdBy: String
  /// When it expires; `nil` for never.
  package var expires: Int64?
  /// The hour in which it was last used; `nil` if it was not used yet.
  package var lastUsed: Int64?

  package init(
    id: Int64,
    holder: Viewer,
    name: String?,
    purpose: String,
    scope: TokenScope,
    created: Int64,
    createdBy: String,
    expires: Int64?,
    lastUsed: Int64?
  ) {
    self.id = id
    self.holder = holder
    self.name = name
    self.purpose = purpose
    self.scope = scope
    self.created = created
    self.createdBy = createdBy
    self.expires = expires
    self.lastUsed = lastUsed
  }
}

/// What may have tokens and is not a person.
package struct Device: Hashable, Sendable {
  package var name: String
  /// Seconds since 1970, UTC.
  package var added: Int64
  package var addedBy: String
  package var tokenCount: Int

  package init(name: String, added: Int64, addedBy: String, tokenCount: Int) {
    self.name = name
    self.added = added
    self.addedBy = addedBy
    self.tokenCount = tokenCount
  }
}

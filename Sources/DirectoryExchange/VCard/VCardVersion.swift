/// A version of vCard.
package enum VCardVersion: String, Sendable, CaseIterable {
  /// RFC 2426, for older phones.
  case v3 = "3.0"
  /// RFC 6350.
  case v4 = "4.0"
}

import CICU

/// An email address where it says who somebody is: it is compared as it is, and never as a search does.
///
/// Two are the same whose local parts differ at most in the case of ASCII letters, and whose domains
/// have the same ASCII form (RFC 5890 §2.3.2.1; UTS #46, nontransitional). A domain with what only
/// stands for other characters there, such as a soft hyphen or a circled letter, is none.
package struct MailAddress: Hashable, Sendable {
  /// UTF-8, with small letters of ASCII.
  private let local: [UInt8]
  /// ASCII, in lower case.
  private let domain: [UInt8]

  /// More bytes are in no domain (RFC 1035 §2.3.4), however its letters are written.
  private static let longestDomain = 1_024

  /// Reads an address; `nil` for a text that is none.
  package init?(_ text: String) {
    guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
    let domain = text[text.utf8.index(after: at)...]
    guard at > text.startIndex, !domain.isEmpty, domain.utf8.count <= Self.longestDomain,
      let ascii = Self.asciiForm(of: domain)
    else { return nil }
    local = Self.lowered(text[..<at].utf8)
    self.domain = ascii
  }

  /// The address with each form of its domain, of which a directory may have any.
  package var spellings: [String] {
    let domain = String(decoding: domain, as: UTF8.self)
    let letters = domain.contains("xn--") ? Self.converted(domain.utf8, toASCII: false) : nil
    let domains = [domain] + (letters.map { [String(decoding: $0, as: UTF8.self)] } ?? [])
    return domains.map { "\(String(decoding: local, as: UTF8.self))@\($0)" }
  }

  private static func asciiForm(of domain: Substring) -> [UInt8]? {
    // What is ASCII is its own form, also where it is no name that a registry would give.
    if domain.utf8.allSatisfy({ $0 < 0x80 }) { return lowered(domain.utf8) }
    // Back from it there is nothing but other case and composition.
    guard let ascii = converted(domain.utf8, toASCII: true),
      let letters = converted(ascii, toASCII: false),
      String(decoding: letters, as: UTF8.self) == domain.lowercased()
    else { return nil }
    return ascii
  }

  private static func converted(_ domain: some Sequence<UInt8>, toASCII: Bool) -> [UInt8]? {
    let name = Array(domain)
    var length: Int32 = 0
    let result = [UInt8](unsafeUninitializedCapacity: longestDomain) { buffer, count in
      length = staffbook_domain(
        toASCII,
        name,
        Int32(name.count),
        buffer.baseAddress,
        Int32(buffer.count)
      )
      count = max(0, Int(length))
    }
    return length < 0 ? nil : result
  }

  private static func lowered(_ text: some Sequence<UInt8>) -> [UInt8] {
    text.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
  }
}

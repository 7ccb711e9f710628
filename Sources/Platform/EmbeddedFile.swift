import CResources

/// The files that the program carries: SQL of the schema, words of the samples, parts of pages and scripts.
package enum EmbeddedFile {
  private static var all: some Sequence<staffbook_resource> {
    sequence(state: staffbook_resources()) { next in
      defer { next += 1 }
      return next.pointee.name == nil ? nil : next.pointee
    }
  }

  private static func name(_ file: staffbook_resource) -> String {
    file.name.map { String(cString: $0) } ?? ""
  }

  /// What the files are called, without their folders.
  package static var names: [String] { all.map(name) }

  /// The contents of one.
  ///
  /// - Precondition: `CResources` embeds a file of this name.
  /// - Returns: Its bytes; a copy, O(size).
  package static func bytes(named name: String) -> [UInt8] {
    guard let file = all.first(where: { self.name($0) == name }) else {
      preconditionFailure("\(name) is not embedded")
    }
    return Array(String(cString: file.text).utf8)
  }
}

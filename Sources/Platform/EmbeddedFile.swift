import CResources

/// The files that the program carries: SQL of the schema, words of the samples, parts of pages and scripts.
package enum EmbeddedFile {
  /// The contents of one.
  ///
  /// - Precondition: `CResources` embeds a file of this name.
  /// - Returns: Its bytes; a copy, O(size).
  package static func bytes(named name: String) -> [UInt8] {
    let file = staffbook_resource_named(name)
    precondition(file.name != nil, "\(name) is not embedded")
    return Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }
}

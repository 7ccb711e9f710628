import CYAML
import DirectoryModel

/// A libyaml parser over bytes in memory.
///
/// It stays at one address: libyaml keeps a pointer to the parser within the parser itself
/// (`yaml_parser_set_input_string`).
struct YAMLParser: ~Copyable {
  let handle: UnsafeMutablePointer<yaml_parser_t>
  private let bytes: UnsafeRawBufferPointer
  private let file: String

  /// Begins at the first byte.
  ///
  /// - Parameters:
  ///   - bytes: At least one; they outlive the parser.
  ///   - file: What errors call them.
  /// - Throws: When there is no memory.
  init(_ bytes: UnsafeRawBufferPointer, file: String) throws(DirectoryError) {
    let handle = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    handle.initialize(to: yaml_parser_t())
    guard yaml_parser_initialize(handle) == 1 else {
      handle.deallocate()
      throw DirectoryError(.bug, "cannot read \(file): out of memory")
    }
    let input = bytes.bindMemory(to: UInt8.self)
    // Without an address libyaml would abort the program.
    precondition(!input.isEmpty, "no bytes to parse")
    yaml_parser_set_input_string(handle, input.baseAddress, input.count)
    self.handle = handle
    self.bytes = bytes
    self.file = file
  }

  deinit {
    yaml_parser_delete(handle)
    handle.deallocate()
  }

  /// Why the last step failed.
  var failure: DirectoryError {
    let reason = handle.pointee.problem.map { String(cString: $0) } ?? "it is not YAML"
    return YAMLValue.error(file, failedLine, reason)
  }

  /// The line that the parser stumbled at, from 1.
  ///
  /// What is not text at all has an offset and no line.
  private var failedLine: Int {
    guard handle.pointee.error == YAML_READER_ERROR else {
      return Int(handle.pointee.problem_mark.line) + 1
    }
    let offset = min(Int(handle.pointee.problem_offset), bytes.count)
    return bytes[..<offset].count { $0 == UInt8(ascii: "\n") } + 1
  }
}

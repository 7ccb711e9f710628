/// A value bound to `$1`, `$2`, … of a statement; never pasted into its text.
///
/// All but `bytes` go as text without a type, so the server takes the type from where the parameter
/// stands (`where id = $1`), or from a cast (`$1::int`). (libpq: PQexecParams, paramTypes)
package enum PGParameter: Equatable, Sendable {
  case null
  case text(String)
  case int64(Int64)
  case double(Double)
  case bool(Bool)
  /// A `bytea`, sent binary.
  case bytes([UInt8])
  /// A one-dimensional array; of any type whose text form the elements are.
  case textArray([String?])
  case int64Array([Int64])
}

extension PGParameter: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  package init(stringLiteral value: String) { self = .text(value) }
  package init(integerLiteral value: Int64) { self = .int64(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(nilLiteral: ()) { self = .null }

  /// Text, or NULL where there is none.
  package static func text(_ value: String?) -> PGParameter { value.map { .text($0) } ?? .null }

  /// A number, or NULL where there is none.
  package static func int64(_ value: Int64?) -> PGParameter { value.map { .int64($0) } ?? .null }
}

/// The parameters of one statement laid out as PQsendQueryParams wants them.
///
/// All values lie in one buffer, each followed by a NUL, so that a statement costs a handful of
/// allocations however many parameters it has.
struct PGParameterList {
  /// libpq: PQ_QUERY_PARAM_MAX_LIMIT, a 16-bit count in the protocol's Bind message.
  static let maximumCount = 65_535

  private static let byteaType: UInt32 = 17  // pg_type.dat: bytea

  private var storage: [UInt8] = []
  /// Where each value begins in `storage`; -1 is NULL.
  private var starts: [Int] = []
  private var lengths: [CInt] = []
  private var formats: [CInt] = []
  private var types: [UInt32] = []

  init(_ parameters: [PGParameter]) throws(PostgresError) {
    guard parameters.count <= Self.maximumCount else {
      throw .invalidStatement(
        reason: "\(parameters.count) parameters are more than \(Self.maximumCount)"
      )
    }
    for (index, parameter) in parameters.enumerated() {
      try append(parameter, position: index + 1)
    }
  }

  var count: CInt { CInt(starts.count) }

  private mutating func append(_ parameter: PGParameter, position: Int) throws(PostgresError) {
    if parameter == .null { return appendNull() }
    let start = storage.count
    var type: UInt32 = 0
    if case .bytes(let bytes) = parameter {
      type = Self.byteaType
      storage += bytes
    } else {
      storage.appendText(of: parameter)
      guard !storage[start...].contains(0) else {
        throw .invalidParameter(position: position, reason: "text cannot contain a NUL byte")
      }
    }
    guard let length = CInt(exactly: storage.count - start) else {
      throw .invalidParameter(position: position, reason: "it is longer than 2 GiB")
    }
    starts.append(start)
    lengths.append(length)
    formats.append(type == 0 ? 0 : 1)
    types.append(type)
    storage.append(0)
  }

  private mutating func appendNull() {
    starts.append(-1)
    lengths.append(0)
    formats.append(0)
    types.append(0)
  }

  /// Lends the arrays in the order of PQsendQueryParams' arguments; the pointers end with the call.
  func withArrays<R>(
    _ body: (
      _ types: UnsafePointer<UInt32>?, _ values: UnsafePointer<UnsafePointer<CChar>?>?,
      _ lengths: UnsafePointer<CInt>?, _ formats: UnsafePointer<CInt>?
    ) -> R
  ) -> R {
    guard !starts.isEmpty else { return body(nil, nil, nil, nil) }
    return storage.withUnsafeBytes { storage in
      let base = storage.assumingMemoryBound(to: CChar.self).baseAddress
      let values = starts.map { start in start < 0 ? nil : base.map { $0 + start } }
      return values.withUnsafeBufferPointer { values in
        body(types, values.baseAddress, lengths, formats)
      }
    }
  }
}

extension [UInt8] {
  /// Appends the text form that the server reads; nothing for `null` and `bytes`.
  fileprivate mutating func appendText(of parameter: PGParameter) {
    switch parameter {
    case .null, .bytes: break
    case .text(let text): append(contentsOf: text.utf8)
    case .int64(let number): append(contentsOf: String(number).utf8)
    case .double(let number): append(contentsOf: number.postgresText.utf8)
    case .bool(let flag): append(flag ? UInt8(ascii: "t") : UInt8(ascii: "f"))
    case .textArray(let elements): appendArray(elements)
    case .int64Array(let elements): appendArray(elements.map { String($0) })
    }
  }

  /// Appends an array literal with every element quoted (manual, "Array Input and Output Syntax").
  private mutating func appendArray(_ elements: [String?]) {
    append(UInt8(ascii: "{"))
    for (index, element) in elements.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      if let element { appendQuoted(element) } else { append(contentsOf: "NULL".utf8) }
    }
    append(UInt8(ascii: "}"))
  }

  private mutating func appendQuoted(_ element: String) {
    append(UInt8(ascii: "\""))
    for byte in element.utf8 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
      append(byte)
    }
    append(UInt8(ascii: "\""))
  }
}

extension Double {
  /// The number as PostgreSQL reads it; Swift writes infinities as `inf`, which it also takes.
  fileprivate var postgresText: String { isNaN ? "NaN" : description }
}

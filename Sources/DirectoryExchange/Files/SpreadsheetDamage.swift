import DirectoryModel

/// Values of a CSV file that look as if another program had put something in their place.
///
/// They are taken as they stand, since a name may be anything; they should be checked. Of each
/// kind the first is told, and how many there are.
struct SpreadsheetDamage: Sendable {
  private enum Kind: Int, CaseIterable {
    case nothing, fault, shortened, blank
  }

  private struct Finding {
    var line: Int
    var column: Int
    var value: String
    var count = 1
    /// The others, if they are kept.
    var others: [(line: Int, column: Int, value: String)] = []
  }

  /// Whether each of them is kept.
  private let keepsAll: Bool
  private var findings = [Finding?](repeating: nil, count: Kind.allCases.count)

  init(keepsAll: Bool = false) { self.keepsAll = keepsAll }

  /// Looks at a row's values.
  ///
  /// - Complexity: O(1) for a value.
  ///
  /// - Parameters:
  ///   - record: The row.
  ///   - ids: Positions of ids.
  ///   - columns: Positions to look at; `nil` for all.
  ///   - refused: Positions of values that are refused where they are shortened, and told so.
  mutating func look(
    at record: CSVRecord,
    ids: Set<Int>,
    only columns: Set<Int>? = nil,
    refused: Set<Int> = []
  ) {
    for column in 0..<record.count {
      if let columns, !columns.contains(column) { continue }
      let value = record[column]
      guard let first = value.first, let last = value.last else { continue }
      switch first {
      case 0x5C, 0x4E, 0x23, 0x30...0x39:
        if let kind = Self.kind(of: value, first), kind != .shortened || !refused.contains(column) {
          note(kind, value, record.line, column)
        }
      default: break
      }
      if first == 0x20 || last == 0x20, ids.contains(column) {
        note(.blank, value, record.line, column)
      }
    }
  }

  /// What is to be said of each kind, and of each value of it that is kept.
  ///
  /// - Parameter name: Names a column by its position.
  /// - Returns: For each kind, what sums it up.
  func warnings(_ name: (Int) -> String) -> [(summary: RowWarning, all: [RowWarning])] {
    Kind.allCases.compactMap { kind in
      findings[kind.rawValue].map { finding in
        func text(_ column: Int, _ value: String) -> String {
          "\(name(column)) \(value) \(Self.reason(kind)); it is imported unchanged"
        }
        let first = text(finding.column, finding.value)
        let count = finding.count > 1 ? " (\(finding.count) such values)" : ""
        return (
          RowWarning(line: finding.line, reason: first + count),
          [RowWarning(line: finding.line, reason: first)]
            + finding.others.map { RowWarning(line: $0.line, reason: text($0.column, $0.value)) }
        )
      }
    }
  }

  private static func reason(_ kind: Kind) -> String {
    switch kind {
    case .nothing: "is what some databases write for a missing value; CSV leaves the field empty"
    case .fault: "is what spreadsheets show for a missing value"
    case .shortened: "looks like a number that a spreadsheet has shortened"
    case .blank: "begins or ends with a blank, which is part of the id"
    }
  }

  private mutating func note(
    _ kind: Kind,
    _ value: UnsafeRawBufferPointer,
    _ line: Int,
    _ column: Int
  ) {
    if findings[kind.rawValue] != nil {
      findings[kind.rawValue]?.count += 1
      if keepsAll {
        findings[kind.rawValue]?.others.append((line, column, QuotedValue.text(value)))
      }
    } else {
      findings[kind.rawValue] = Finding(line: line, column: column, value: QuotedValue.text(value))
    }
  }

  private static let faults = ["#N/A", "#NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#NUM!", "#NULL!"]

  private static func kind(of value: UnsafeRawBufferPointer, _ first: UInt8) -> Kind? {
    switch first {
    case 0x5C: return value.elementsEqual("\\N".utf8) ? .nothing : nil
    case 0x4E: return value.elementsEqual("NULL".utf8) ? .nothing : nil
    case 0x23:
      let isBar = value.count > 2 && value.allSatisfy { $0 == 0x23 }
      return isBar || faults.contains { value.elementsEqual($0.utf8) } ? .fault : nil
    default: return isShortened(value) ? .shortened : nil
    }
  }

  /// `1.23457E+11`: the exponent has two digits at least.
  static func isShortened(_ value: UnsafeRawBufferPointer) -> Bool {
    guard (5...24).contains(value.count) else { return false }
    let tail = value.suffix(4)
    guard tail.starts(with: "E+".utf8), tail.dropFirst(2).allSatisfy(isDigit) else { return false }
    let number = value.dropLast(4)
    return number.allSatisfy { isDigit($0) || $0 == 0x2E || $0 == 0x2C }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}

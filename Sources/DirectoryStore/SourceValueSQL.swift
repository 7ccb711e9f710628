import DirectoryModel

/// SQL that makes the values of a company's own tables fit the limits of records, so that none of
/// them stops a sync; `SourceInspection` names them.
///
/// All of it is about a column of the row `q`. Functions and operators are named in full, since the
/// search path is the account's.
enum SourceValueSQL {
  /// An id: one that is too long goes by its digest, the same wherever it is referred to; `NULL` for none.
  static func reference(_ column: String) -> String {
    """
    case when pg_catalog.octet_length(\(column)::text) operator(pg_catalog.<=) \(DirectoryLimits.idBytes)
      then nullif(\(column)::text, '')
      else 'sha256:' operator(pg_catalog.||) pg_catalog.encode(pg_catalog.sha256(
        pg_catalog.convert_to(\(column)::text, 'UTF8')), 'hex') end
    """
  }

  /// The id of a row; without any it is one that nothing refers to, made from the name so that it is
  /// the same at the next sync.
  static let id =
    "coalesce(\(reference("q.id")), '(no id) ' operator(pg_catalog.||) "
    + "pg_catalog.left(coalesce(q.name::text, ''), 50))"

  /// The identity, fitted as ids are; empty for none.
  static let identity = "coalesce(\(reference("q.identity")), '')"

  /// The name, or the id where there is none.
  static let name = """
    case when \(isVisible("q.name::text")) then \(text("q.name", DirectoryLimits.nameScalars)) else \(id) end
    """

  /// A text without what is beyond the limit; empty for NULL.
  static func text(_ column: String, _ limit: Int) -> String {
    "coalesce(pg_catalog.left(\(column)::text, \(limit)), '')"
  }

  /// An order; what bigint cannot hold is as near as can be, and what is not a number is 0.
  static let order = """
    case when \(isNumber) then
      greatest(least(q.sort_order::text::numeric, \(Int64.max)), \(Int64.min))::int8 else 0 end
    """

  /// Whether an order is a number, whatever its type.
  static let isNumber = """
    coalesce(q.sort_order::text, '') operator(pg_catalog.~)
      '^[[:space:]]*[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?[[:space:]]*$'
    """

  /// Whether a membership leads; what is neither true nor false is false.
  static let leads = """
    coalesce(q.leads::text operator(pg_catalog.~*) '^ *(t(rue)?|y(es)?|on|0*[1-9][0-9]*) *$', false)
    """

  /// Whether the text of what should tell it tells nothing.
  static func tellsNothing(_ text: String) -> String {
    """
    coalesce(\(text) operator(pg_catalog.!~*)
      '^ *(t(rue)?|y(es)?|on|f(alse)?|no?|off|[0-9]+|) *$', false)
    """
  }

  /// Whether a text has a character that leaves a mark, as `staffbook.is_visible` has it.
  static func isVisible(_ text: String) -> String {
    let ranges = DirectoryLimits.invisible.map { range in
      // PostgreSQL's texts have no U+0000.
      escaped(max(range.lowerBound, 1)) + "-" + escaped(range.upperBound)
    }
    return "coalesce(\(text) operator(pg_catalog.~) $re$[^\(ranges.joined())]$re$, false)"
  }

  /// A code point in PostgreSQL's regular expressions (manual: Regular Expression Character-Entry
  /// Escapes).
  private static func escaped(_ scalar: UInt32) -> String {
    let digits = String(scalar, radix: 16)
    return (scalar > 0xFFFF ? "\\U" : "\\u")
      + String(repeating: "0", count: (scalar > 0xFFFF ? 8 : 4) - digits.count) + digits
  }
}

import LibPQ

/// What speaks for and against a person of a list and a record being the same person, as conditions on
/// the list's `s` and the record's `p`: rows of `import_open` and `import_candidates`.
///
/// An id or a first name that two have in common is little: numbers are given again, and each month
/// somebody joins who has the first name of somebody who left.
enum ImportEvidence {
  /// A phone number as it is compared; null for none.
  static func digits(_ value: String) -> String {
    "nullif(translate(\(value), E' -/().\\u00a0\\u202f', ''), '')"
  }

  /// The words of a name in small letters; single ASCII letters, which stand for any name, are none.
  private static func words(_ name: String) -> String {
    """
    array_remove(regexp_split_to_array(
      regexp_replace(lower(\(name)), '\\m[a-z]\\M', '', 'g'), '[-‐ ,.]+'), '')
    """
  }

  /// Whether all words of one name are in the other: `Ada Lund`, `Lund, Ada` and `Dr. Ada Lund-Winter`.
  static func isPartOfName(_ other: String) -> String {
    let (one, two) = (words("s.name"), words("\(other).name"))
    return """
      (\(one) <@ \(two) and cardinality(\(one)) > 0 or \(two) <@ \(one) and cardinality(\(two)) > 0)
      """
  }

  /// Whether the names have a word in common, such as the first name of someone who married.
  private static let haveCommonWord = "(\(words("s.name")) && \(words("p.name")))"

  /// Whether both addresses are known and name two mailboxes, whatever their domains.
  static func isOtherMailbox(_ other: String) -> String {
    """
    (s.email <> '' and \(other).email <> ''
      and split_part(lower(s.email), '@', 1) <> split_part(lower(\(other).email), '@', 1))
    """
  }

  private static let isSameMailbox = """
    (s.email <> '' and split_part(s.email, '@', 1) = split_part(p.email, '@', 1))
    """

  /// Whether both dates are known and not the same; the year may be missing, as in `--05-07`.
  static func isOtherBirthday(_ one: String, _ two: String) -> String {
    """
    coalesce(right(\(one), 5) <> right(\(two), 5) or left(\(one), 4) <> left(\(two), 4)
      and left(\(one), 2) <> '--' and left(\(two), 2) <> '--', false)
    """
  }

  static let isOtherBirthday = isOtherBirthday("s.birthday", "p.birthday")

  private static let isSameBirthday = "coalesce(s.birthday = p.birthday, false)"

  /// Whether the list gives another day of joining, as it does for another person, or for one who was
  /// hired again.
  static let isOtherStart = "coalesce(s.joined <> p.joined, false)"

  /// Whether a number that nobody else has, the mailbox or the day of joining is the same.
  static let isSupported = """
    (coalesce(s.phone in (p.phone, p.mobile), false) or coalesce(s.mobile in (p.phone, p.mobile), false)
      or coalesce(s.joined = p.joined, false) or \(isSameMailbox))
    """

  /// Whether a number, the date of birth or the day of joining is another one.
  static let isContradicted = """
    (\(isOtherBirthday) or \(isOtherStart) or coalesce(s.phone <> p.phone, false)
      or coalesce(s.mobile <> p.mobile, false))
    """

  private static let isSameName = """
    (lower(s.name) = lower(p.name) or s.last = p.last and left(s.first, 1) = left(p.first, 1))
    """

  /// Whether people with the same number are one.
  ///
  /// With somebody present, a name or the address says so; if the list itself brought the record, also
  /// a part of the name with something else that agrees. Somebody who was removed has to have the name
  /// or the date of birth, or a part of the name and something else: what was theirs comes back.
  static let isSame = """
    (not \(isOtherBirthday) and case
      when p.is_removed then \(isSameName) or \(isPartOfName("p")) or \(isSameBirthday)
        or \(haveCommonWord) and (s.email <> '' and s.email = p.email or \(isSupported))
      else \(isSameName) or s.email <> '' and s.email = p.email or \(isSameBirthday)
        or p.alias is not null and (\(isPartOfName("p"))
          or \(haveCommonWord) and \(isSupported) and not \(isOtherStart)) end)
    """

  /// Whether people with the same address are one; an address of somebody who left is given again, too.
  static let isSameOfAddress = """
    (not \(isOtherBirthday) and \(haveCommonWord) and (not p.is_removed or \(isSameName)
      or \(isPartOfName("p")) or \(isSameBirthday) or coalesce(s.phone in (p.phone, p.mobile), false)
      or coalesce(s.mobile in (p.phone, p.mobile), false)))
    """

  /// Whether two with one family name and date of birth are twins.
  static let areTwins = """
    left(s.first, 1) <> left(p.first, 1) and \(isOtherMailbox("p")) and not \(isSupported)
    """

  /// Whether two with one family name, initial and department are two people all the same.
  static let areNamesakes = """
    \(isOtherBirthday) or not \(isSupported) and (
      p.is_removed and (p.is_long_gone or \(isOtherMailbox("p")))
      or lower(s.name) <> lower(p.name) and not \(isPartOfName("p")) and (\(isOtherMailbox("p"))
        or not starts_with(s.first, p.first) and not starts_with(p.first, s.first)))
    """

  /// Whether somebody who was entered by hand, and whom no list has yet, is the person of that name whom the
  /// list has in the same department.
  static let isSameByHand = """
    p.is_free and lower(s.name) = lower(p.name) and not \(isOtherBirthday)
      and not \(isOtherMailbox("p")) and not coalesce(s.phone <> p.phone, false) and not \(isOtherStart)
    """

  /// Numbers of a switchboard and days on which many joined say nothing.
  ///
  /// - Complexity: A pass over the people of list and directory.
  static func dropCommonValues(_ connection: inout PGConnection) throws(StoreFailure) {
    let any = try connection.query(
      """
      select exists (select from pg_temp.import_open where coalesce(phone, mobile, joined) is not null)
        and exists (select from pg_temp.import_candidates)
      """
    )
    guard any.bool(row: 0, column: 0) == true else { return }
    let wanted = """
      (select phone from pg_temp.import_open where phone is not null
        union select mobile from pg_temp.import_open where mobile is not null
        union select joined from pg_temp.import_open where joined is not null)
      """
    func numbers(_ side: Int, _ table: String) -> String {
      """
      select \(side), t.id, \(digits("t.phone")), 1 from \(table) t where t.phone <> ''
      union all
      select \(side), t.id, \(digits("t.fields ->> 'mobile'")), 1 from \(table) t where t.fields ? 'mobile'
      union all
      select \(side), t.id, t.fields ->> 'joined', greatest(5, count(*) over () / 20) from \(table) t
        where t.fields ? 'joined'
      """
    }
    try connection.perform(
      """
      create temporary table import_common on commit drop as
        select v.value from (
            \(numbers(1, "staffbook.users")) union all \(numbers(2, "pg_temp.staged_users"))
          ) v(side, id, value, most)
          where v.value in \(wanted)
          group by v.side, v.value having count(distinct v.id) > max(v.most)
      """
    )
    for column in ["phone", "mobile", "joined"] {
      try connection.perform(
        """
        update pg_temp.import_open set \(column) = null
          where \(column) in (select value from pg_temp.import_common)
        """
      )
    }
  }
}

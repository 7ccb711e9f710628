/// The account that the program runs for.
package enum SystemAccount {
  /// Its name by the account database, which is read once; `nil` for a number without a name.
  package static let name: String? = {
    guard let record = getpwuid(getuid()) else { return nil }
    let name = String(cString: record.pointee.pw_name)
    return name.isEmpty ? nil : name
  }()
}

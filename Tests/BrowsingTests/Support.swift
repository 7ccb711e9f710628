import DirectoryTestSupport

extension Company {
  /// Three levels, a lead, the user in two departments, and a name that runs right to left.
  ///
  /// - Parameter withCy: Whether the one person at the top is there.
  /// - Returns: Five departments and four people.
  /// - Throws: What making it throws.
  static func lumen(withCy: Bool = true) throws -> Company {
    var company = Company()
    try company.department("root", name: "Lumen")
    try company.department("a", under: "root", name: "Atelier", description: "where it is made")
    try company.department("a1", under: "a", name: "Lamps")
    try company.department("b", under: "root", name: "Bureau")
    try company.department("e", under: "b", name: "Empty")
    try company.user(
      "ann",
      in: "a1",
      name: "Ann Ash",
      title: "Lamp maker",
      email: "ann@x.example",
      phone: "+1 555 0100"
    )
    try company.user("bo", in: "a", name: "Bo Berg", title: "Chief", leads: true)
    if withCy { try company.user("cy", in: "root", name: "Cy Aşk") }
    try company.user("dina", in: "b", name: "דינה כהן", title: "סוכנת")
    try company.member("ann", of: "b", title: "Adviser")
    return company
  }
}

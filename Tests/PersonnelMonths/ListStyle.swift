/// How the list of an invented company is written, with the mapping for it.
package enum ListStyle: String, CaseIterable, Sendable {
  /// CSV in UTF-8 with a status, contractors, and people who begin later.
  case plain
  /// Semicolons, windows-1252, `Lund, Dr. Ada`, years of two digits, the day of leaving.
  case german
  /// Tabs, UTF-16, `LUND Ada`, managers by name.
  case tabs
  /// A sheet with a title, merged cells and a total.
  case sheet
  /// People, departments and managers in three files.
  case joined
  /// GB18030, a path in a cell, 离职.
  case chinese

  /// A file before it is encoded; of `sheet` its rows.
  package struct File: Sendable {
    package var name: String
    /// As iconv names it; `nil` for a workbook.
    package var encoding: String?
    package var rows: [[String]]
    package var separator = ","

    package var text: String {
      rows.map { row in
        row.map { $0.contains { ",;\t\"".contains($0) } ? "\"\($0)\"" : $0 }
          .joined(separator: separator) + "\r\n"
      }.joined()
    }
  }

  /// The files of a month, with people's numbers as the list writes them.
  package func files(of company: InventedCompany, _ numbers: Numbers) -> [File] {
    let people = company.present
    func number(_ person: InventedCompany.Person) -> String { numbers.text(person.key) }
    func manager(_ person: InventedCompany.Person) -> String {
      heads[person.unit].map { $0.key == person.key ? "" : number($0) } ?? ""
    }
    let heads = Dictionary(grouping: people, by: \.unit).compactMapValues(\.first)
    func unit(_ person: InventedCompany.Person) -> InventedCompany.Unit {
      company.units[person.unit]
    }
    func division(_ person: InventedCompany.Person) -> String {
      company.divisions[unit(person).division]
    }
    let month = company.month < 10 ? "0\(company.month)" : "\(company.month)"
    switch self {
    case .plain:
      var rows = [
        [
          "Employee ID", "First Name", "Last Name", "Division", "Department", "Job Title", "Email",
          "Manager ID", "Status", "Worker Type", "Hire Date",
        ]
      ]
      func row(_ person: InventedCompany.Person, _ status: String, _ manager: String) -> [String] {
        [
          number(person), person.given, person.family, division(person), unit(person).name,
          person.title, person.email, manager, status, "Employee", "2019-04-01",
        ]
      }
      rows += people.map { row($0, "Active", manager($0)) }
      rows += company.leavers.map { row($0, "Terminated", "") }
      let other = ["Cy", "Extern", "Optics", "Optics North", "Advisor", "", "", "Active"]
      rows.append(["X1"] + other + ["Contractor", "2019-04-01"])
      rows.append(["X2"] + other + ["Employee", "2999-01-01"])
      return [File(name: "staff.csv", encoding: "UTF-8", rows: rows)]
    case .german:
      var rows = [
        ["Pers.-Nr.", "Name", "Bereich", "Abt.", "Funktion", "E-Mail", "Vorgesetzter", "Austritt"]
      ]
      // In each department one person has it in capitals.
      let units = Dictionary(grouping: people, by: \.unit).values.filter { $0.count > 2 }
      let unitInCapitals = Set(units.map { $0[1].key })
      func row(_ person: InventedCompany.Person, _ manager: String, _ left: String) -> [String] {
        let title = person.key % 7 == 0 ? "Dr. " : ""
        return [
          number(person), "\(person.family), \(title)\(person.given)", division(person),
          unitInCapitals.contains(person.key) ? unit(person).name.uppercased() : unit(person).name,
          person.title, person.email, manager, left,
        ]
      }
      rows += people.map { row($0, manager($0), "") }
      rows += company.leavers.map { row($0, "", "01.\(month).25") }
      rows.append(["Gesamt", "\(people.count)", "", "", "", "", "", ""])
      return [File(name: "liste.csv", encoding: "WINDOWS-1252", rows: rows, separator: ";")]
    case .tabs:
      var rows = [
        ["Staff No", "Name", "Level 1", "Level 2", "Designation", "E-mail", "Line Manager"]
      ]
      rows += people.map { person in
        let head = heads[person.unit]
        return [
          number(person), "\(person.family.uppercased()) \(person.given)", division(person),
          unit(person).name, person.title, person.email,
          head.map { $0.key == person.key ? "" : "\($0.family), \($0.given)" } ?? "",
        ]
      }
      return [File(name: "staff.txt", encoding: "UTF-16", rows: rows, separator: "\t")]
    case .sheet:
      var rows = [
        ["Staff of month \(company.month)"], [],
        ["Division", "Department", "No.", "Name", "Position", "Mail", "Manager"],
      ]
      var last = ("", "")
      for person in people.sorted(by: { ($0.unit, $0.key) < ($1.unit, $1.key) }) {
        let place = (division(person), unit(person).name)
        rows.append(
          [
            place.0 == last.0 ? "" : place.0, place == last ? "" : place.1, number(person),
            person.name, person.title, person.email, manager(person),
          ]
        )
        last = place
      }
      rows.append(["Total", "", "", "", "", "", "\(people.count)"])
      return [File(name: "staff.xlsx", encoding: nil, rows: rows)]
    case .joined:
      let staff = people.map { person in
        [number(person), person.name, unit(person).code, person.title, person.email]
      }
      let departments =
        company.divisions.enumerated().map { ["D\($0.offset + 1)", $0.element, ""] }
        + company.units.filter(\.isThere).map { [$0.code, $0.name, "D\($0.division + 1)"] }
      let managers = people.compactMap { person in
        manager(person).isEmpty ? nil : [number(person), manager(person)]
      }
      return [
        File(
          name: "managers.csv",
          encoding: "UTF-8",
          rows: [["Employee", "Line Manager ID"]] + managers
        ),
        File(
          name: "people.csv",
          encoding: "UTF-8",
          rows: [["Number", "Name", "Dept code", "Title", "Email"]] + staff
        ),
        File(
          name: "departments.csv",
          encoding: "UTF-8",
          rows: [["Code", "Name", "Parent"]] + departments
        ),
      ]
    case .chinese:
      var rows = [["工号", "姓名", "部门", "职务", "邮箱", "直属上级", "状态"]]
      rows += people.map { person in
        [
          number(person), person.name, "\(division(person))/\(unit(person).name)", person.title,
          person.email, manager(person), "在职",
        ]
      }
      rows += company.leavers.map { [number($0), $0.name, "", "", "", "", "离职"] }
      return [File(name: "名单.csv", encoding: "GB18030", rows: rows)]
    }
  }

  /// From May on numbers are others.
  package func numbers(in month: Int) -> Numbers {
    month < 5 ? .whole : [.german, .sheet].contains(self) ? .withoutZeros : .new
  }

  package var mapping: String {
    switch self {
    case .plain:
      """
      id: "{Employee ID}"
      name: "{First Name} {Last Name}"
      department: "{Division}/{Department}"
      title: "{Job Title}"
      email: "{Email}"
      manager: "{Manager ID}"
      left: "{Status}"
      where: "{Worker Type} = employee"
      starts: "{Hire Date}"
      """
    case .german:
      """
      id: "{Pers.-Nr.}"
      name: "{Name}"
      names: split
      department: "{Bereich}/{Abt.}"
      title: "{Funktion}"
      email: "{E-Mail}"
      manager: "{Vorgesetzter}"
      left: "{Austritt}"
      years: "1950"
      encoding: windows-1252
      """
    case .tabs:
      """
      id: "{Staff No}"
      name: "{Name}"
      names: split
      department: "{Level 1}/{Level 2}"
      title: "{Designation}"
      email: "{E-mail}"
      manager: "{Line Manager}"
      people: name
      """
    case .sheet:
      """
      id: "{No.}"
      name: "{Name}"
      department: "{Division}/{Department}"
      title: "{Position}"
      email: "{Mail}"
      manager: "{Manager}"
      fill_down: "{Division} {Department}"
      """
    case .joined:
      """
      id: "{Number}"
      name: "{Name}"
      department_id: "{Dept code}"
      title: "{Title}"
      email: "{Email}"
      manager: "{Line Manager ID}"
      join: "{Number} = {Employee}"
      departments.id: "{Code}"
      departments.name: "{Name}"
      departments.parent_id: "{Parent}"
      """
    case .chinese:
      """
      id: "{工号}"
      name: "{姓名}"
      department: "{部门}"
      levels: /
      title: "{职务}"
      email: "{邮箱}"
      manager: "{直属上级}"
      left: "{状态}"
      encoding: GB18030
      """
    }
  }
}

/// How a list writes the numbers of people.
package enum Numbers: Sendable {
  case whole
  /// A spreadsheet has taken the zeros in front.
  case withoutZeros
  /// Another program has given everyone a new one.
  case new

  package func text(_ key: Int) -> String {
    let digits = String(repeating: "0", count: max(0, 5 - "\(key)".count)) + "\(key)"
    return switch self {
    case .whole: digits
    case .withoutZeros: "\(key)"
    case .new: "P-\(90_000 - key)"
    }
  }
}

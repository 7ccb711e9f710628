/// Three months of a list as programs for personnel export it: their headings and forms, and invented
/// people.
package struct VendorLists: Sendable {
  package struct Person: Sendable {
    package var number: String
    package var given: String
    package var family: String
    package var department: [String]
    package var title: String
    package var manager: String
    package var joined: (year: String, month: String, day: String)
    package var hasLeft = false

    package var name: String { "\(given) \(family)" }
    package var email: String { "\(number)@lumen.example" }
  }

  package var vendor: String
  private var head: [[String]]
  private var separator = ","
  private let row: @Sendable (Person) -> [String]

  /// In the first month there are three people; in the second one has another title and one joins; in
  /// the third one has left and one has another family name.
  package static func people(in month: Int) -> [Person] {
    var people = [
      Person(
        number: "1001",
        given: "Ada",
        family: "Lund",
        department: ["Lumen", "Optics"],
        title: "Head",
        manager: "",
        joined: ("2018", "12", "31")
      ),
      Person(
        number: "1002",
        given: "Bo",
        family: "Dahl",
        department: ["Lumen", "Optics"],
        title: "Grinder",
        manager: "1001",
        joined: ("2019", "04", "03")
      ),
      Person(
        number: "1003",
        given: "Cy",
        family: "Ek",
        department: ["Lumen", "Towers"],
        title: "Keeper",
        manager: "1001",
        joined: ("2020", "02", "29")
      ),
    ]
    if month > 1 {
      people[1].title = "Polisher"
      people.append(
        Person(
          number: "1004",
          given: "Di",
          family: "Holm",
          department: ["Lumen", "Towers"],
          title: "Keeper",
          manager: "1003",
          joined: ("2025", "02", "13")
        )
      )
    }
    if month > 2 {
      people[1].hasLeft = true
      people[3].family = "Vik"
    }
    return people
  }

  package func text(of month: Int) -> String {
    (head + Self.people(in: month).map(row)).map { cells in
      cells.map { $0.contains(separator) || $0.contains("\"") ? "\"\($0)\"" : $0 }
        .joined(separator: separator) + "\r\n"
    }.joined()
  }

  /// A line for each person who is there: name, department, title, address, manager and day of joining.
  package static func truth(of month: Int) -> [String] {
    let people = people(in: month)
    return people.filter { !$0.hasLeft }.map { person in
      [
        person.name, person.department.last ?? "", person.title, person.email, person.manager,
        "\(person.joined.year)-\(person.joined.month)-\(person.joined.day)",
      ].joined(separator: "|")
    }.sorted()
  }

  private static func name(of number: String) -> String {
    people(in: 1).first { $0.number == number }?.name ?? ""
  }

  package static let all = [
    VendorLists(
      vendor: "Workday",
      head: [
        ["All Workers"],
        [
          "Employee ID", "Worker", "Business Title", "Supervisory Organization", "Email - Work",
          "Worker's Manager", "Hire Date", "Termination Date",
        ],
      ],
      row: { person in
        let (year, month, day) = person.joined
        return [
          person.number, person.name, person.title, person.department[1], person.email,
          person.manager.isEmpty ? "" : "\(name(of: person.manager)) (\(person.manager))",
          "\(month)/\(day)/\(year)", person.hasLeft ? "03/15/2025" : "",
        ]
      }
    ),
    VendorLists(
      vendor: "SAP",
      head: [
        [
          "STATUS", "USERID", "FIRSTNAME", "LASTNAME", "EMAIL", "MANAGER", "DEPARTMENT", "TITLE",
          "HIREDATE",
        ],
        [
          "Status", "User ID", "First Name", "Last Name", "Email", "Manager", "Department", "Title",
          "Hire Date",
        ],
      ],
      row: { person in
        let (year, month, day) = person.joined
        return [
          person.hasLeft ? "inactive" : "active", person.number, person.given, person.family,
          person.email, person.manager.isEmpty ? "NO_MANAGER" : person.manager,
          person.department[1], person.title, "\(month)/\(day)/\(year)",
        ]
      }
    ),
    VendorLists(
      vendor: "Personio",
      head: [
        [
          "Personalnummer", "Vorname", "Nachname", "E-Mail", "Status", "Abteilung", "Position",
          "Vorgesetzter", "Einstellungsdatum",
        ]
      ],
      separator: ";",
      row: { person in
        let (year, month, day) = person.joined
        return [
          person.number, person.given, person.family, person.email,
          person.hasLeft ? "Inaktiv" : "Aktiv", person.department[1], person.title,
          name(of: person.manager), "\(day).\(month).\(year)",
        ]
      }
    ),
    VendorLists(
      vendor: "DATEV",
      head: [
        [
          "Pers.-Nr.", "Name", "Vorname", "Abteilung", "Tätigkeit", "E-Mail",
          "Vorgesetzter Personalnummer",
          "Eintritt", "Austritt",
        ]
      ],
      separator: ";",
      row: { person in
        let (year, month, day) = person.joined
        return [
          person.number, person.family, person.given, person.department[1], person.title,
          person.email, person.manager, "\(day).\(month).\(year)",
          person.hasLeft ? "28.02.2025" : "",
        ]
      }
    ),
    VendorLists(
      vendor: "BambooHR",
      head: [
        [
          "Employee #", "Last Name, First Name", "Work Email", "Department", "Job Title",
          "Reporting to",
          "Hire Date", "Status",
        ]
      ],
      row: { person in
        let (year, month, day) = person.joined
        return [
          person.number, "\(person.family), \(person.given)", person.email, person.department[1],
          person.title, name(of: person.manager), "\(year)-\(month)-\(day)",
          person.hasLeft ? "Inactive" : "Active",
        ]
      }
    ),
    VendorLists(
      vendor: "WeCom",
      head: [["填写须知：请勿修改表头"], ["姓名", "帐号", "职务", "部门", "邮箱", "直属上级", "入职日期", "禁用"]],
      row: { person in
        let (year, month, day) = person.joined
        return [
          person.name, person.number, person.title, person.department.joined(separator: "/"),
          person.email, person.manager, "\(year)/\(month)/\(day)", person.hasLeft ? "是" : "否",
        ]
      }
    ),
    VendorLists(
      vendor: "Feishu",
      head: [["姓名", "工号", "部门", "职务", "企业邮箱", "直属上级", "入职日期", "员工状态"]],
      row: { person in
        let (year, month, day) = person.joined
        return [
          person.name, person.number, person.department.joined(separator: "/"), person.title,
          person.email, person.manager, "\(year)-\(month)-\(day)", person.hasLeft ? "离职" : "在职",
        ]
      }
    ),
  ]
}

import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import LiveDirectory
import Platform
import SiteSettings

extension Doctor {
  /// Looks for what is wrong with the data in the snapshot.
  func examineData(
    _ snapshot: DirectorySnapshot,
    _ report: inout DoctorReport
  ) throws(DirectoryError) {
    do {
      let directory = try Directory(snapshot, for: .everything)
      try directory.forEachFault { found in
        var fault = found
        // Commands write to our own tables only.
        if site.settings.source.queries != nil { fault.remedy = [] }
        report.faults.append(fault)
      }
      guard !report.faults.isEmpty else {
        report.add(
          "data",
          .good,
          "no problems found in \(counted(directory.userCount, "person", "people")) and "
            + counted(directory.departmentCount, "department")
        )
        return
      }
    } catch {
      throw DirectoryError(describing: error)
    }
    for kind in DataProblem.Kind.allCases {
      let found = report.faults.count { $0.kind == kind }
      guard found > 0 else { continue }
      report.add("data", kind.isCertain ? .problem : .note, kind.text(found))
    }
  }
}

extension DataProblem.Kind {
  /// One and several of them, in words, and what is the same of both.
  private var words: (one: String, many: String, rest: String) {
    switch self {
    case .malformedEmail: ("invalid email address", "invalid email addresses", "")
    case .malformedPhone: ("phone number", "phone numbers", " without a digit")
    case .invisibleCharacters: ("name", "names", " with invisible characters")
    case .managerIsMissing: ("manager", "managers", " who cannot be found")
    case .managersInRing: ("ring", "rings", " of managers")
    case .mixedScripts: ("name", "names", " with a word in two scripts")
    case .doubtfulDate: ("date", "dates", " before 1950 or in another century")
    case .formula: ("value", "values", " that a spreadsheet would run as a formula")
    case .samePerson: ("person", "people", " who may be recorded more than once")
    case .withoutLead: ("department", "departments", " with people and without a lead")
    case .withoutPeople: ("department", "departments", " without people")
    case .tooDeep: ("department", "departments", " below 15 others")
    }
  }

  /// So many of them, in words.
  fileprivate func text(_ number: Int) -> String {
    counted(number, words.one, words.many) + words.rest
  }

  /// What its list is called.
  package var heading: String {
    switch self {
    case .managersInRing: "Managers who manage each other"
    case .withoutLead: "Departments without a lead"
    default: words.many.prefix(1).uppercased() + words.many.dropFirst() + words.rest
    }
  }
}

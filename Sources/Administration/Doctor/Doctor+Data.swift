import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import LiveDirectory
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
          "no problems found in \(count(directory.userCount, "person", "people")) and "
            + count(directory.departmentCount, "department")
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
  /// So many of them, in words.
  fileprivate func text(_ number: Int) -> String {
    switch self {
    case .malformedEmail: count(number, "invalid email address", "invalid email addresses")
    case .malformedPhone: count(number, "phone number") + " without a digit"
    case .invisibleCharacters: count(number, "name") + " with invisible characters"
    case .managerIsMissing: count(number, "manager") + " who cannot be found"
    case .managersInRing: count(number, "ring") + " of managers"
    case .mixedScripts: count(number, "name") + " with a word in two scripts"
    case .doubtfulDate: count(number, "date") + " before 1950 or in another century"
    case .formula: count(number, "value") + " that a spreadsheet would run as a formula"
    case .samePerson: count(number, "person", "people") + " who may be recorded more than once"
    case .withoutLead: count(number, "department") + " with people and without a lead"
    case .withoutPeople: count(number, "department") + " without people"
    case .tooDeep: count(number, "department") + " below 15 others"
    }
  }

  /// What its list is called.
  package var heading: String {
    switch self {
    case .malformedEmail: "Invalid email addresses"
    case .malformedPhone: "Phone numbers without a digit"
    case .invisibleCharacters: "Names with invisible characters"
    case .managerIsMissing: "Managers who cannot be found"
    case .managersInRing: "Managers who manage each other"
    case .mixedScripts: "Names with a word in two scripts"
    case .doubtfulDate: "Dates before 1950 or in another century"
    case .formula: "Values that a spreadsheet would run as a formula"
    case .samePerson: "People who may be recorded more than once"
    case .withoutLead: "Departments without a lead"
    case .withoutPeople: "Departments without people"
    case .tooDeep: "Departments below 15 others"
    }
  }
}

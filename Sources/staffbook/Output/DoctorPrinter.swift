import Administration
import DirectoryModel
import DirectoryReading
import Terminal

/// Prints what the doctor found: what is wrong last, where it is seen.
struct DoctorPrinter {
  let asJSON: Bool

  func print(_ report: DoctorReport) throws {
    if asJSON {
      for line in report.jsonLines(\.words) { Messages.data(line) }
      return
    }
    var screen = Screen()
    let painter = CardPainter(screen.profile)
    var fields = report.findings.sorted { $0.state < $1.state }.map(Self.field)
    if let age = report.age { fields.insert(contentsOf: Self.fields(of: age), at: 0) }
    painter.append(heading: Self.heading(report.state), fields, to: &screen.buffer)
    if !report.unplaced.isEmpty {
      screen.buffer.append(UInt8(ascii: "\n"))
      painter.append(
        heading: "Unplaced",
        report.unplaced.map {
          CardPainter.Field(
            $0.kind == .department ? "department" : "person",
            "\($0.name) (\($0.id)): \($0.reason)"
          )
        },
        to: &screen.buffer
      )
    }
    for kind in DataProblem.Kind.allCases {
      let faults = report.faults.filter { $0.kind == kind }
      guard !faults.isEmpty else { continue }
      screen.buffer.append(UInt8(ascii: "\n"))
      var fields = faults.prefix(Self.shownFaults).map(Self.field)
      if faults.count > fields.count {
        fields.append(
          CardPainter.Field("", "and \(faults.count - fields.count) more: see --json")
        )
      }
      painter.append(heading: kind.heading, fields, to: &screen.buffer)
    }
    try screen.finish()
  }

  /// Faults of one kind that are shown; all are counted.
  private static let shownFaults = 20

  private static func field(_ fault: DataProblem) -> CardPainter.Field {
    let names = fault.records.map { "\($0.name) (\($0.id))" }
    return CardPainter.Field(
      fault.records.first?.kind == .department ? "department" : "person",
      [names.joined(separator: ", ") + ": " + fault.text]
        + (fault.remedy.isEmpty ? [] : [Remedy.run(fault.remedy).words])
    )
  }

  private static func heading(_ state: DoctorReport.State) -> String {
    switch state {
    case .good: "No problems found"
    case .note: "No problems found; see the notes"
    case .problem: "Problems found"
    }
  }

  private static func field(_ finding: DoctorReport.Finding) -> CardPainter.Field {
    let label =
      switch finding.state {
      case .good: "OK"
      case .note: "Note"
      case .problem: "Problem"
      }
    return CardPainter.Field(label, [finding.text, finding.advice?.words ?? ""])
  }

  private static func fields(of age: DoctorReport.Age) -> [CardPainter.Field] {
    [
      CardPainter.Field("Read from", age.source),
      CardPainter.Field("Data changed", Age.moment(age.takenAt)),
      CardPainter.Field("Last checked", Age.moment(age.checkedAt)),
    ]
  }
}

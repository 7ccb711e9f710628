// A list of countries, provinces and cities in the terminal: type a row's number to open or close
// it, text to filter, an empty line to clear the filter, and "q" to quit.
import Outlines

struct Place: Identifiable, Sendable {
  let id: String
  var places: [Place]?

  static func city(_ name: String) -> Place { Place(id: name) }
}

let countries = [
  Place(
    id: "Netherlands",
    places: [
      Place(id: "Gelderland", places: [.city("Arnhem"), .city("Nijmegen"), .city("Ede")]),
      Place(id: "Utrecht", places: [.city("Amersfoort"), .city("Zeist")]),
    ]
  ),
  Place(
    id: "Canada",
    places: [
      Place(id: "Ontario", places: [.city("Toronto"), .city("Ottawa")]),
      Place(id: "Nunavut", places: []),
    ]
  ),
]

var outline = try Outline(nested: countries, children: \.places, expandedLevels: 1)

@MainActor func show() {
  for (number, row) in zip(outline.rows.indices, outline.rows) {
    let sign =
      switch row.disclosure {
      case .expanded: "▾ "
      case .collapsed: "▸ "
      case .empty: "▹ "
      case nil: ""
      }
    let mark = row.isMatch ? " *" : ""
    print("\(number)\t\(outline.treeLine(atRow: number))\(sign)\(row.id)\(mark)")
  }
}

@MainActor func perform(_ command: String) throws -> RowChanges {
  if let row = Int(command), outline.rows.indices.contains(row) {
    return outline.toggle(outline.rows[row].id)
  }
  guard !command.isEmpty else { return outline.clearFilter() }
  return try outline.filter { $0.id.lowercased().contains(command.lowercased()) }
}

show()
while let command = readLine(), command != "q" {
  let changes = try perform(command)
  print("removed \(changes.removed), inserted \(changes.inserted), redrawn \(changes.redrawn)")
  show()
}

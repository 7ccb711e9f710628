import LibPQ

/// What servers answer that only tests look for.
extension SQLState {
  package static let invalidTextRepresentation = SQLState(rawValue: "22P02")
  package static let notNullViolation = SQLState(rawValue: "23502")
  package static let uniqueViolation = SQLState(rawValue: "23505")
  package static let checkViolation = SQLState(rawValue: "23514")
  package static let adminShutdown = SQLState(rawValue: "57P01")
}

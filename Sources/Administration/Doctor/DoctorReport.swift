import DirectoryModel
import DirectoryReading

/// What a look at snapshot and source found.
package struct DoctorReport: Sendable {
  package enum State: String, Sendable, Comparable {
    case good
    /// Worth knowing; nothing is wrong.
    case note
    case problem

    package static func < (left: State, right: State) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .good: 0
      case .note: 1
      case .problem: 2
      }
    }
  }

  /// One thing that was looked at.
  package struct Finding: Sendable {
    /// What was looked at, such as `snapshot`.
    package var subject: String
    package var state: State
    package var text: String
    package var advice: Advice?
  }

  /// A record without a place in the tree.
  package struct Unplaced: Sendable {
    package var kind: DirectoryRow.Kind
    package var id: String
    package var name: String
    package var reason: String
  }

  /// How old the snapshot is: seconds since 1970, UTC.
  package struct Age: Sendable {
    /// When the state in it was read.
    package var takenAt: Int64
    /// When it was last found to be the source's state, or made so.
    package var checkedAt: Int64
    package var source: String
  }

  package internal(set) var age: Age?
  package internal(set) var findings: [Finding] = []
  package internal(set) var unplaced: [Unplaced] = []
  /// What is wrong with the data, or likely is, record by record.
  package internal(set) var faults: [DataProblem] = []

  /// The worst of all findings.
  package var state: State { findings.map(\.state).max() ?? .good }

  mutating func add(
    _ subject: String,
    _ state: State,
    _ text: String,
    advice: Advice? = nil
  ) {
    findings.append(Finding(subject: subject, state: state, text: text, advice: advice))
  }
}

/// How a repository chooses among hosts and how long it waits for them.
package struct ReadOptions: Sendable, Equatable {
  /// Whether a standby is taken where there is one, unless the connection string, its service or
  /// the environment says something about `target_session_attrs`.
  package var preferStandby: Bool
  /// How long the server may send nothing while an answer is due; then it counts as stalled.
  ///
  /// `nil` waits for ever. One that is known to be at work on the answer, such as somebody's own
  /// query that joins and sorts before the first row comes, may take ten times as long.
  package var silenceLimit: Duration?
  /// How long a standby that lacks what was read before may take to catch up.
  package var standbyPatience: Duration

  package init(
    preferStandby: Bool = false,
    silenceLimit: Duration? = .seconds(60),
    standbyPatience: Duration = .seconds(10)
  ) {
    self.preferStandby = preferStandby
    self.silenceLimit = silenceLimit
    self.standbyPatience = standbyPatience
  }
}

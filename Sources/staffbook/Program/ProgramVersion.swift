import CCommit

/// What `--version` prints.
enum ProgramVersion {
  /// Raised by hand, and nowhere else; the package adds how many commits there were.
  private static let number = "0.2.0"

  /// Such as `0.2.0 (commit 1bf628394a0c)`; without a commit where there was no checkout.
  static var text: String {
    let commit = String(cString: staffbook_commit())
    return commit.isEmpty ? number : "\(number) (commit \(commit))"
  }
}

/// The two ends of a pipe, which no program started from here inherits (pipe(2)).
package struct Pipe {
  package let reading: CInt
  package let writing: CInt

  /// Makes one; `nil` when the system refuses, and `errno` says why.
  package init?() {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = ends[1]
  }
}

import Synchronization
import TextRules

/// One line on a terminal that tells how far a long task is, and goes away at its end.
///
///     Reading people  ████████░░░░░░░░░░░░  412,000 of 1,050,000  690,000/s
///
/// Nothing is drawn where the line cannot be redrawn, in the first 0.3 seconds, or more than ten
/// times a second. Any thread may tell it.
package final class Progress: Sendable {
  private struct State {
    var label = ""
    var stageBegan: ContinuousClock.Instant
    var drawn: ContinuousClock.Instant?
    var isShown = false
    var hasFinished = false
  }

  private let descriptor: Int32
  private let profile: TerminalProfile
  private let began: ContinuousClock.Instant
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state: Mutex<State>

  /// Whether nothing is drawn anywhere, for those who hear what is written.
  package static var isOff: Bool {
    get { off.load(ordering: .relaxed) }
    set { off.store(newValue, ordering: .relaxed) }
  }
  private static let off = Atomic(false)

  private static let patience = Duration.milliseconds(300)
  private static let interval = Duration.milliseconds(100)
  private static let barColumns = 20

  /// - Parameters:
  ///   - descriptor: Where to draw, normally that of standard error.
  ///   - profile: Of that descriptor.
  ///   - now: The clock, for tests.
  package init(
    descriptor: Int32,
    profile: TerminalProfile,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.descriptor = descriptor
    self.profile = profile
    self.now = now
    began = now()
    state = Mutex(State(stageBegan: began))
  }

  deinit { finish() }

  /// Tells how far the task is.
  ///
  /// - Parameters:
  ///   - label: The stage; the rate starts again with each.
  ///   - done: What is done of it; 0 of an unknown number is not shown.
  ///   - total: How much there is, where that is known.
  package func update(_ label: String, done: Int, total: Int? = nil) {
    guard profile.canRedraw, !Self.isOff else { return }
    let time = now()
    state.withLock { state in
      guard !state.hasFinished else { return }
      if state.label != label {
        state.label = label
        state.stageBegan = time
        // A stage that is told once must not stand under the name of the one before.
        state.drawn = nil
      }
      guard time - began >= Self.patience,
        state.drawn.map({ time - $0 >= Self.interval }) ?? true
      else { return }
      state.drawn = time
      state.isShown = true
      draw(line(label, done: done, total: total, for: time - state.stageBegan))
    }
  }

  /// Clears the line, so that something else can be written; a later update draws it again.
  package func clear() {
    state.withLock { state in
      guard state.isShown else { return }
      state.isShown = false
      draw("")
    }
  }

  /// Clears the line for good.
  package func finish() {
    clear()
    state.withLock { $0.hasFinished = true }
  }

  /// Carriage return, the text, and ECMA-48 §8.3.41 (EL) to the line's end.
  private func draw(_ line: String) {
    // A terminal that was closed is not a reason to stop the work.
    _ = Array("\r\(line)\u{1B}[K".utf8).withUnsafeBytes {
      Descriptors.writeAll($0, to: descriptor)
    }
  }

  // MARK: - The line

  private func line(_ label: String, done: Int, total: Int?, for time: Duration) -> String {
    let label = VisibleText.visible(label, ascii: !profile.unicode)
    var parts = [label]
    if let total, total > 0 {
      parts.append(bar(Double(done) / Double(total)))
      parts.append("\(grouped(done)) of \(grouped(total))")
    } else if done > 0 {
      parts.append(grouped(done))
    }
    if let rate = rate(of: done, in: time) { parts.append("\(grouped(rate))/s") }
    let limit = max((profile.columns ?? 80) - 1, 1)
    // The last column stays free: writing there would break the line on some terminals.
    while parts.count > 1, DisplayWidth.columns(of: parts.joined(separator: "  ")) > limit {
      parts.remove(at: parts.count > 2 && total != nil ? 1 : parts.count - 1)
    }
    return String(DisplayWidth.prefix(of: parts.joined(separator: "  "), columns: limit))
  }

  private func bar(_ share: Double) -> String {
    let full = Int((min(max(share, 0), 1) * Double(Self.barColumns)).rounded(.down))
    return String(repeating: profile.drawsSigns ? "█" : "#", count: full)
      + String(repeating: profile.drawsSigns ? "░" : "-", count: Self.barColumns - full)
  }

  private func rate(of done: Int, in time: Duration) -> Int? {
    let seconds =
      Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    guard seconds >= 0.2, done > 0 else { return nil }
    return Int(exactly: (Double(done) / seconds).rounded())
  }

  /// A number with a comma after each thousand.
  private func grouped(_ number: Int) -> String {
    let digits = Array(String(number))
    var text = ""
    for (index, digit) in digits.enumerated() {
      let rest = digits.count - index
      if index > 0, rest % 3 == 0, digits[index - 1] != "-" { text.append(",") }
      text.append(digit)
    }
    return text
  }
}

import Platform
import Terminal

/// Standard output, or the pager in front of it: the one place where data leaves the program.
struct Screen: ~Copyable {
  let profile: TerminalProfile
  /// Append lines here, then call `drain()`.
  var buffer: [UInt8] = []
  private var writer: OutputWriter
  private var pager: Pager?
  private let pagerCommand: String?

  init(color: TerminalProfile.ColourChoice = .auto, isPaged: Bool = true) {
    profile = TerminalProfile(
      descriptor: STDOUT_FILENO,
      environment: Messages.environment,
      colour: color
    )
    pagerCommand =
      isPaged ? Pager.command(environment: Messages.environment, profile: profile) : nil
    writer = OutputWriter(descriptor: STDOUT_FILENO)
    pager = nil
  }

  /// Sends on what was appended.
  ///
  /// The pager starts when there is more than the screen holds; short output is simply printed.
  mutating func drain() throws(OutputError) {
    guard pagerCommand != nil, pager == nil else {
      try pass()
      return
    }
    let lines = buffer.count { $0 == UInt8(ascii: "\n") }
    if lines >= profile.rows ?? .max { try startPager() }
  }

  consuming func finish() throws(OutputError) {
    try pass()
    try writer.finish()
    if let pager = pager.take() { pager.finish() }
  }

  private mutating func pass() throws(OutputError) {
    writer.buffer.append(contentsOf: buffer)
    buffer.removeAll(keepingCapacity: true)
    try writer.drain()
  }

  private mutating func startPager() throws(OutputError) {
    guard let pagerCommand else { return }
    let started = try Pager(
      command: pagerCommand,
      environment: Messages.environment,
      profile: profile
    )
    writer = OutputWriter(descriptor: started.descriptor)
    pager = consume started
    try pass()
  }
}

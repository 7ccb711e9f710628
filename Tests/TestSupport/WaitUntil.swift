/// For how long a test waits for what must come about: a busy machine, and a test that fails, cost time
/// alone.
package let patience = Duration.seconds(300)

/// Looks again and again until something holds, for at most a fifth of the time: what is looked at with
/// a program would otherwise keep a processor from what is waited for.
///
/// - Parameters:
///   - event: What is waited for, as a sentence's end, for the message.
///   - isolation: The caller's own.
///   - seen: What there was in its place, for the message.
///   - holds: Whether it has come about.
/// - Throws: What `holds` throws; after `patience`, that it has not come about.
package func wait(
  until event: String,
  isolation: isolated (any Actor)? = #isolation,
  seen: () async throws -> String = { "" },
  _ holds: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + patience
  while true {
    let began = ContinuousClock.now
    if try await holds() { return }
    let now = ContinuousClock.now
    guard now < end else {
      throw TestSetupError("waited in vain until \(event)\n\(try await seen())")
    }
    try await Task.sleep(for: min(max(.milliseconds(5), (now - began) * 4), .seconds(1)))
  }
}

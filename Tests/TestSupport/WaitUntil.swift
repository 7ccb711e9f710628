/// For how long a test waits for what must come about: a busy machine, and a test that fails, cost time
/// alone.
package let patience = Duration.seconds(300)

/// Looks again and again until something holds.
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
  while !(try await holds()) {
    guard ContinuousClock.now < end else {
      throw TestSetupError("waited in vain until \(event)\n\(try await seen())")
    }
    try await Task.sleep(for: .milliseconds(5))
  }
}

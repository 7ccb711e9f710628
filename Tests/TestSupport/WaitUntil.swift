/// Looks again and again until something holds.
///
/// - Parameters:
///   - event: What is waited for, as a sentence's end, for the message.
///   - isolation: The caller's own.
///   - holds: Whether it has come about.
/// - Throws: What `holds` throws; after two minutes, that it has not come about.
package func wait(
  until event: String,
  isolation: isolated (any Actor)? = #isolation,
  _ holds: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + .seconds(120)
  while !(try await holds()) {
    guard ContinuousClock.now < end else { throw TestSetupError("waited in vain until \(event)") }
    try await Task.sleep(for: .milliseconds(5))
  }
}

import TestSupport
import Testing

/// Runs the tests, none of which uses XCTest.
///
/// Without this file SwiftPM looks for tests of XCTest in an index, and to write that index takes a
/// tenth of the time in which the tests are compiled.
@main struct TestRunner {
  static func main() async throws {
    try TestMeasures.record { Test.current.map { String(describing: $0.id) } }
    await Testing.__swiftPMEntryPoint() as Never
  }
}

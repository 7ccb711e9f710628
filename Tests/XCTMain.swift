import Testing

/// Runs the tests, none of which uses XCTest.
///
/// Without this file SwiftPM looks for tests of XCTest in an index, and to write that index takes a
/// tenth of the time in which the tests are compiled.
@main struct TestRunner {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}

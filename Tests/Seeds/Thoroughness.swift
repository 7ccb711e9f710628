import Platform

/// How often a test repeats what chance or a kill's moment decides: few times for the user who
/// waits, many with `scripts/test --thorough`.
package func rounds(_ few: Int, thorough many: Int) -> Int {
  getenv("STAFFBOOK_TEST_THOROUGH") == nil ? few : many
}

import Platform

/// The time that the processor has worked for this thread in `body`: unlike the clock's it hardly grows
/// while other programs keep the machine busy, so that it may be compared.
package func processorTime<E: Error>(_ body: () throws(E) -> Void) throws(E) -> Duration {
  let start = processorTimeOfThread()
  try body()
  return processorTimeOfThread() - start
}

private func processorTimeOfThread() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

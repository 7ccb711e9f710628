/// Gives memory that was freed back to the system, where the C library would keep it for the next time.
///
/// For a process that rests for long after it needed much. glibc has a function for that, which Swift's
/// module of it leaves out. (malloc_trim(3))
package func returnFreeMemory() {
  guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "malloc_trim") else { return }
  typealias Trim = @convention(c) (Int) -> CInt
  _ = unsafeBitCast(symbol, to: Trim.self)(0)
}

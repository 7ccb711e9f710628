import SystemPackage

extension FileDescriptor {
  /// Has the disk begin with a range of the file, so that fsync(2) finds less to do; a hint.
  package func beginSynchronizing(_ range: Range<Int>) {
    #if canImport(Glibc) || canImport(Musl)
      // glibc shows it only to those who define _GNU_SOURCE.
      let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "sync_file_range")
      guard let symbol else { return }
      typealias Begin = @convention(c) (CInt, Int64, Int64, CUnsignedInt) -> CInt
      // SYNC_FILE_RANGE_WRITE
      _ = unsafeBitCast(symbol, to: Begin.self)(
        rawValue,
        Int64(range.lowerBound),
        Int64(range.count),
        2
      )
    #endif
  }
}

import CXXHash

/// XXH64 with seed 0, the checksum of the blocks of a snapshot.
///
/// It finds damage, not forgery: anyone who may write the file may also write its checksum.
package enum XXHash64 {
  package static func digest(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    XXH64(bytes.baseAddress, bytes.count, 0)
  }
}

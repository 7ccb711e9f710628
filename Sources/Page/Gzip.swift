import CZlib

/// Makes gzip (RFC 1952) by zlib.
package enum Gzip {
  package enum Level: CInt {
    case fastest = 1
    case smallest = 9
  }

  /// The same bytes as gzip.
  ///
  /// - Complexity: O(bytes).
  package static func compressed(_ bytes: [UInt8], level: Level) -> [UInt8] {
    var stream = z_stream()
    // 16 more than the largest window makes gzip (zlib: deflateInit2).
    let size = CInt(MemoryLayout<z_stream>.size)
    var outcome = deflateInit2_(
      &stream,
      level.rawValue,
      Z_DEFLATED,
      16 + MAX_WBITS,
      9,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      size
    )
    precondition(outcome == Z_OK, "zlib of another version, or out of memory")
    defer { deflateEnd(&stream) }
    var input = bytes
    return [UInt8](unsafeUninitializedCapacity: Int(deflateBound(&stream, UInt(bytes.count)))) {
      output,
      count in
      input.withUnsafeMutableBufferPointer { input in
        (stream.next_in, stream.avail_in) = (input.baseAddress, CUnsignedInt(input.count))
        (stream.next_out, stream.avail_out) = (output.baseAddress, CUnsignedInt(output.count))
        outcome = deflate(&stream, Z_FINISH)
      }
      precondition(outcome == Z_STREAM_END, "deflateBound(3) leaves enough room")
      count = Int(stream.total_out)
    }
  }
}

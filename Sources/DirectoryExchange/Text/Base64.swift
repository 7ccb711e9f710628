/// Base64 with padding and without line breaks (RFC 4648 §4).
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )

  static func append(_ data: some Collection<UInt8>, to bytes: inout [UInt8]) {
    let isDone: Void? = data.withContiguousStorageIfAvailable {
      append(UnsafeRawBufferPointer($0), to: &bytes)
    }
    if isDone == nil { Array(data).withUnsafeBytes { append($0, to: &bytes) } }
  }

  private static func append(_ data: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    alphabet.withUnsafeBufferPointer { alphabet in
      func append(_ group: UInt32, digits: Int) {
        for index in 0..<digits {
          bytes.append(alphabet[Int(group >> UInt32(18 - 6 * index) & 0x3F)])
        }
      }
      var position = 0
      while position + 3 <= data.count {
        let high = UInt32(data[position]) << 16 | UInt32(data[position + 1]) << 8
        append(high | UInt32(data[position + 2]), digits: 4)
        position += 3
      }
      switch data.count - position {
      case 1:
        append(UInt32(data[position]) << 16, digits: 2)
        bytes.append(text: "==")
      case 2:
        append(UInt32(data[position]) << 16 | UInt32(data[position + 1]) << 8, digits: 3)
        bytes.append(text: "=")
      default: break
      }
    }
  }
}

import CQRCode

/// QR codes (ISO/IEC 18004) as pictures.
enum QRCode {
  /// Bytes of a card of which telephones still read a code that is shown on a screen.
  private static let mostOfWhole = 1_000
  /// What a telephone keeps of anybody.
  private static let kept: Set<Substring> = [
    "BEGIN", "VERSION", "FN", "N", "TEL", "EMAIL", "ADR", "END",
  ]

  /// - Parameter card: A vCard, lines of which may be folded (RFC 6350 §3.2).
  /// - Returns: SVG; `nil` for a card that does not fit, without what may be left out of it.
  static func svg(ofCard card: String) -> [UInt8]? {
    var card = card.replacing("\r\n ", with: "")
    if card.utf8.count > mostOfWhole {
      card = card.split(separator: "\r\n").filter { kept.contains(property(of: $0)) }
        .map { $0 + "\r\n" }.joined()
    }
    return svg(Array(card.utf8))
  }

  /// The name of a line's property, without its group.
  private static func property(of line: Substring) -> Substring {
    let name = line.prefix { $0 != ";" && $0 != ":" }
    return name.split(separator: ".").last ?? name
  }

  /// - Returns: A unit for each module; `nil` for more than 2,953 bytes.
  private static func svg(_ bytes: [UInt8]) -> [UInt8]? {
    guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_L) else {
      return nil
    }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    let modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width)
    // The quiet zone has four modules, and a line is as broad as one.
    let size = width + 8
    var path = ""
    for row in 0..<width {
      path += "M4 \(row + 4).5"
      var rest = modules[row * width..<(row + 1) * width]
      while let first = rest.first {
        let run = rest.prefix { $0 & 1 == first & 1 }.count
        path += first & 1 == 1 ? "h\(run)" : "m\(run) 0"
        rest = rest.dropFirst(run)
      }
    }
    let picture =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(size) \(size)\">"
      + "<path fill=\"#fff\" d=\"M0 0h\(size)v\(size)H0z\"/>"
      + "<path stroke=\"#000\" shape-rendering=\"crispEdges\" d=\"\(path)\"/></svg>\n"
    return Array(picture.utf8)
  }
}

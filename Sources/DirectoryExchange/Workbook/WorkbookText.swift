/// Text of a workbook's parts.
enum WorkbookText {
  /// Undoes `_xHHHH_`, which stands for what XML cannot carry (ECMA-376 part 1 §22.9.2.19).
  static func plain(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(UInt8(ascii: "_")) else { return text }
    var plain: [UInt8] = []
    var lead: UInt32?
    var position = 0
    while position < text.count {
      guard let unit = unit(text, at: position) else {
        if lead.take() != nil { plain += [0xEF, 0xBF, 0xBD] }
        plain.append(text[position])
        position += 1
        continue
      }
      position += 7
      if (0xD800..<0xDC00).contains(unit) {
        lead = unit
        continue
      }
      var value = unit
      if let high = lead.take(), (0xDC00..<0xE000).contains(unit) {
        value = 0x10000 + (high - 0xD800) << 10 + (unit - 0xDC00)
      }
      plain += Array(String(Unicode.Scalar(value).map(Character.init) ?? "\u{FFFD}").utf8)
    }
    if lead != nil { plain += [0xEF, 0xBF, 0xBD] }
    return plain
  }

  private static func unit(_ text: [UInt8], at position: Int) -> UInt32? {
    guard position + 6 < text.count, text[position] == UInt8(ascii: "_"),
      text[position + 1] == UInt8(ascii: "x"), text[position + 6] == UInt8(ascii: "_")
    else { return nil }
    return UInt32(String(decoding: text[(position + 2)..<(position + 6)], as: UTF8.self), radix: 16)
  }
}

/// Takes the texts of `t` elements together; those of phonetic runs are left out.
final class SharedStringHandler: XMLHandler {
  /// Bytes of all of them: they are the only part of a workbook that is held in memory.
  private static let limit = 512 << 20

  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  private var text: [UInt8] = []
  private var isText = false
  private var isPhonetic = false

  var count: Int { ends.count }

  subscript(index: Int) -> ArraySlice<UInt8> {
    bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  override func start(_ name: String, _ attributes: XMLAttributes) {
    switch name {
    case "si": text.removeAll(keepingCapacity: true)
    case "rPh": isPhonetic = true
    case "t": isText = !isPhonetic
    default: break
    }
  }

  override func end(_ name: String) {
    switch name {
    case "rPh": isPhonetic = false
    case "t": isText = false
    case "si":
      bytes += WorkbookText.plain(text)
      ends.append(bytes.count)
    default: break
    }
  }

  override func text(_ text: UnsafeRawBufferPointer) {
    guard isText else { return }
    self.text += text
    if self.text.count > SheetHandler.longestCell { stop("it has a cell that is too long") }
    if bytes.count > Self.limit { stop("its texts take more than \(Self.limit >> 20) MiB") }
  }
}

/// The formats of cells by the numbers of their styles.
final class StylesHandler: XMLHandler {
  private static let most = 100_000

  private var codes: [Int: String] = [:]
  private var isCells = false
  private(set) var formats: [CellFormat] = []

  override func start(_ name: String, _ attributes: XMLAttributes) {
    switch name {
    case "numFmt":
      if let id = attributes["numFmtId"].flatMap({ Int($0) }), codes.count < Self.most {
        codes[id] = attributes["formatCode"]
      }
    case "cellXfs": isCells = true
    case "xf" where isCells:
      let id = attributes["numFmtId"].flatMap { Int($0) } ?? 0
      formats.append(codes[id].map { CellFormat(code: $0) } ?? CellFormat(builtIn: id))
      if formats.count > Self.most { stop("it has more than \(Self.most) styles") }
    default: break
    }
  }

  override func end(_ name: String) { if name == "cellXfs" { isCells = false } }
}

/// The sheets of a workbook, by `workbook.xml`.
final class SheetListHandler: XMLHandler {
  private(set) var sheets: [(name: String, relation: String, isHidden: Bool)] = []
  private(set) var isFrom1904 = false

  override func start(_ name: String, _ attributes: XMLAttributes) {
    switch name {
    case "workbookPr": isFrom1904 = ["1", "true"].contains(attributes["date1904"] ?? "")
    case "sheet":
      let isHidden = ["hidden", "veryHidden"].contains(attributes["state"] ?? "")
      sheets.append((attributes["name"] ?? "", attributes["id"] ?? "", isHidden))
      if sheets.count > 10_000 { stop("it has more than 10,000 sheets") }
    default: break
    }
  }
}

/// What the relations of a part lead to (ECMA-376 part 2 §9.3).
final class RelationsHandler: XMLHandler {
  private(set) var targets: [String: (target: String, type: String)] = [:]

  override func start(_ name: String, _ attributes: XMLAttributes) {
    guard name == "Relationship", let id = attributes["Id"], targets.count < 10_000 else { return }
    let type = attributes["Type"].map { $0.split(separator: "/").last.map(String.init) ?? "" }
    targets[id] = (attributes["Target"] ?? "", type ?? "")
  }

  /// The first target of a type.
  func target(_ type: String) -> String? { targets.values.first { $0.type == type }?.target }
}

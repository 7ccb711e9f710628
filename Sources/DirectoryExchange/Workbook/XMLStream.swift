import CExpat
import DirectoryModel

/// Takes what an `XMLStream` comes upon.
class XMLHandler {
  /// Elements inside each other; no part of a workbook comes near it.
  private static let deepest = 64

  fileprivate var parser: OpaquePointer?
  fileprivate var events = 0
  private var depth = 0
  private(set) var fault: WorkbookError?

  func start(_ name: String, _ attributes: XMLAttributes) {}
  func end(_ name: String) {}
  func text(_ text: UnsafeRawBufferPointer) {}

  /// Ends the reading.
  final func stop(_ reason: String, _ advice: Advice? = nil) {
    if fault == nil { fault = WorkbookError(reason: reason, advice: advice) }
    if let parser { XML_StopParser(parser, 0) }
  }

  fileprivate final func enter() {
    depth += 1
    if depth > Self.deepest { stop("its XML has elements nested more than \(Self.deepest) deep") }
  }

  fileprivate final func leave() { depth -= 1 }
}

/// The attributes of an element, for the time of a call; prefixes of names do not count.
struct XMLAttributes {
  fileprivate let list: UnsafeMutablePointer<UnsafePointer<CChar>?>?

  subscript(name: String) -> String? {
    guard let list else { return nil }
    var place = 0
    while let found = list[place] {
      if XMLStream.local(found) == name { return list[place + 1].map { String(cString: $0) } }
      place += 2
    }
    return nil
  }
}

/// Reads XML piece by piece (expat), in the memory of its longest tag.
///
/// A document type is refused where it begins, before any entity could be expanded: Office Open XML has
/// none (ECMA-376 part 2 §8.1.4).
struct XMLStream: ~Copyable {
  /// Bytes that may come without anything to tell: a tag is read again with each piece of it.
  private static let longestTag = 1 << 20

  private let parser: OpaquePointer
  private let handler: XMLHandler
  private var silent = 0

  init(_ handler: XMLHandler) {
    guard let parser = XML_ParserCreate(nil) else { preconditionFailure("out of memory") }
    self.parser = parser
    self.handler = handler
    handler.parser = parser
    XML_SetUserData(parser, Unmanaged.passUnretained(handler).toOpaque())
    XML_SetElementHandler(
      parser,
      { user, name, attributes in
        guard let handler = XMLStream.handler(user), let name else { return }
        handler.enter()
        handler.start(XMLStream.local(name), XMLAttributes(list: attributes))
      },
      { user, name in
        guard let handler = XMLStream.handler(user), let name else { return }
        handler.leave()
        handler.end(XMLStream.local(name))
      }
    )
    XML_SetCharacterDataHandler(parser) { user, text, count in
      guard let handler = XMLStream.handler(user), let text else { return }
      handler.text(UnsafeRawBufferPointer(start: text, count: Int(count)))
    }
    XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in
      XMLStream.handler(user)?.stop("its XML declares a document type, which workbooks never do")
    }
  }

  deinit {
    handler.parser = nil
    XML_ParserFree(parser)
  }

  /// Takes the next piece.
  mutating func parse(_ piece: UnsafeRawBufferPointer, isLast: Bool) throws(WorkbookError) {
    let before = handler.events
    let status = XML_Parse(
      parser,
      piece.assumingMemoryBound(to: CChar.self).baseAddress,
      CInt(piece.count),
      isLast ? 1 : 0
    )
    if let fault = handler.fault { throw fault }
    guard status == XML_STATUS_OK else {
      let why = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
      throw WorkbookError(reason: "its XML is damaged: \(why ?? "unknown")")
    }
    silent = handler.events == before ? silent + piece.count : 0
    guard silent <= Self.longestTag else {
      throw WorkbookError(reason: "its XML has a tag of more than \(Self.longestTag >> 20) MiB")
    }
  }

  private static func handler(_ user: UnsafeMutableRawPointer?) -> XMLHandler? {
    guard let user else { return nil }
    let handler = Unmanaged<XMLHandler>.fromOpaque(user).takeUnretainedValue()
    handler.events += 1
    return handler.fault == nil ? handler : nil
  }

  /// A name without its prefix.
  fileprivate static func local(_ name: UnsafePointer<CChar>) -> String {
    let whole = String(cString: name)
    return whole.utf8.lastIndex(of: UInt8(ascii: ":"))
      .map { String(whole[whole.utf8.index(after: $0)...]) } ?? whole
  }
}

/// The looks of cells: `xl/styles.xml` (ECMA-376 part 1 §18.8) and the numbers of its formats.
enum WorkbookStyles {
  /// As deep as Excel's own dialog indents.
  static let deepestIndent = 15
  static let header = 1
  static let text = 2
  static let number = 3

  /// Names, indented by their level.
  static func department(level: Int) -> Int { 4 + min(level, deepestIndent) }
  static func person(level: Int) -> Int {
    department(level: deepestIndent) + 1 + min(level, deepestIndent)
  }

  static let xml: String = {
    // 49 is "@": text, whatever it looks like (§18.8.30).
    let plain = #"numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1""#
    let bold =
      #"numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1""#
    func indented(_ format: String) -> String {
      (0...deepestIndent).map { level in
        #"<xf \#(format) applyAlignment="1"><alignment horizontal="left" indent="\#(level)"/></xf>"#
      }.joined()
    }
    let formats =
      #"<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>"#
      + #"<xf numFmtId="49" fontId="1" fillId="2" borderId="0" xfId="0" applyNumberFormat="1" "#
      + #"applyFont="1" applyFill="1"/><xf \#(plain)/>"#
      + #"<xf numFmtId="1" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>"#
      + indented(bold) + indented(plain)
    let font = #"<sz val="11"/><name val="Calibri"/><family val="2"/>"#
    return #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"# + "\n"
      + #"<styleSheet xmlns="\#(WorkbookParts.main)">"#
      + "<fonts count=\"2\"><font>\(font)</font><font><b/>\(font)</font></fonts>"
      + #"<fills count="3"><fill><patternFill patternType="none"/></fill>"#
      + #"<fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid">"#
      + #"<fgColor rgb="FFE4EAF1"/><bgColor indexed="64"/></patternFill></fill></fills>"#
      + #"<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>"#
      + #"<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>"#
      + #"<cellXfs count="\#(person(level: deepestIndent) + 1)">"# + formats + "</cellXfs>"
      + #"<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>"#
      + "</styleSheet>"
  }()
}

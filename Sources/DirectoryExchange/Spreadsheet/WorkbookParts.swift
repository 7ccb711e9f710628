/// The parts of a workbook beside its sheets (ECMA-376 parts 1 and 2).
enum WorkbookParts {
  private static let head = #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"# + "\n"
  private static let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
  private static let package = "http://schemas.openxmlformats.org/package/2006"
  static let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

  static func sheetName(_ index: Int) -> String { "xl/worksheets/sheet\(index).xml" }

  /// `[Content_Types].xml` (part 2 §10.1.2).
  static func contentTypes(sheets: Int) -> String {
    let type = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    let parts = (1...sheets).map { index in
      #"<Override PartName="/\#(sheetName(index))" ContentType="\#(type).worksheet+xml"/>"#
    }
    return head + #"<Types xmlns="\#(package)/content-types">"#
      + #"<Default Extension="rels" ContentType="application/vnd.openxmlformats-package."#
      + #"relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>"#
      + #"<Override PartName="/xl/workbook.xml" ContentType="\#(type).sheet.main+xml"/>"#
      + #"<Override PartName="/xl/styles.xml" ContentType="\#(type).styles+xml"/>"#
      + parts.joined() + "</Types>"
  }

  /// `_rels/.rels`.
  static let rootRelationships =
    head + #"<Relationships xmlns="\#(package)/relationships">"#
    + #"<Relationship Id="rId1" Type="\#(office)/officeDocument" Target="xl/workbook.xml"/>"#
    + "</Relationships>"

  /// `xl/workbook.xml` (part 1 §18.2.27).
  static func workbook(sheets: Int) -> String {
    let list = (1...sheets).map { index in
      let name = index == 1 ? "Directory" : "Directory \(index)"
      return #"<sheet name="\#(name)" sheetId="\#(index)" r:id="rId\#(index)"/>"#
    }
    return head + #"<workbook xmlns="\#(main)" xmlns:r="\#(office)"><sheets>"# + list.joined()
      + "</sheets></workbook>"
  }

  /// `xl/_rels/workbook.xml.rels`.
  static func workbookRelationships(sheets: Int) -> String {
    let list = (1...sheets).map { index in
      #"<Relationship Id="rId\#(index)" Type="\#(office)/worksheet" "#
        + #"Target="worksheets/sheet\#(index).xml"/>"#
    }
    return head + #"<Relationships xmlns="\#(package)/relationships">"# + list.joined()
      + #"<Relationship Id="rId\#(sheets + 1)" Type="\#(office)/styles" Target="styles.xml"/>"#
      + "</Relationships>"
  }
}

import Testing

@testable import CadastreDatasets

/// Well-formedness and limits of XML, through the reader of KML.
@Suite struct XMLTests {
  private let files: FeatureImport

  init() throws { files = try FeatureImport() }

  @Test(arguments: [
    ("<kml>", "line 1, column 6: found the end of the file inside element 'kml'"),
    ("<kml", "found the end of the file inside a tag"),
    ("<kml><!-- ", "found the end of the file inside a comment"),
    ("<kml><![CDATA[x]] >", "found the end of the file inside a CDATA section"),
    ("<kml>\n</kmk>", "line 2, column 6: found the end tag 'kmk'; expected 'kml'"),
    ("<kml/><kml/>", "found a second root element"),
    ("<kml/>x", "found text outside an element"),
    ("<gpx/>", "found the root element 'gpx'; expected 'kml'"),
    ("<kml a=1/>", "found '1'; expected a quote"),
    ("<kml a=\"1\" a=\"2\"/>", "found attribute 'a' again"),
    ("<kml a=\"1\"b=\"2\"/>", "found 'b'; expected a blank or '>'"),
    ("<kml a=\"<\"/>", "found '<'; expected a quote"),
    ("<kml>&nbsp;</kml>", "found the entity 'nbsp'"), ("<kml>&#0;</kml>", "found the entity '#0'"),
    ("<kml>&#xD800;</kml>", "found the entity '#xD800'"), ("<kml>& </kml>", "expected ';'"),
    ("<kml>\u{1}</kml>", "found the byte 1"),
    ("<!DOCTYPE kml [<!ENTITY a \"&a;\">]><kml>&a;</kml>", "found a document type declaration"),
    ("<1/>", "expected a name of an element"), ("", "found no element"),
    ("<?xml version=\"1.0\" encoding=\"EBCDIC\"?><kml/>", "found the encoding 'EBCDIC'"),
  ])
  func `text that is not well-formed is an error with its position`(
    text: String, expected: String
  ) throws {
    let message = try files.message("a.kml", text.utf8)
    #expect(message.hasPrefix("a.kml"))
    #expect(message.contains(expected))
  }

  @Test func `invalid UTF-8 is an error`() throws {
    let bytes = Array("<kml>\n".utf8) + [0xC3, 0x28] + Array("</kml>".utf8)
    #expect(try files.message("a.kml", bytes).contains("line 2, column 3: found invalid UTF-8"))
  }

  @Test func `the nesting of elements is limited`() throws {
    let text = String(repeating: "<MultiGeometry>", count: 1000)
    let message = try files.message("a.kml", "<kml><Placemark>\(text)".utf8)
    #expect(message.contains("found too many levels of elements; expected at most 128"))
  }

  @Test func `every prefix of a file is an error`() throws {
    let text =
      "<kml><Placemark id=\"a\"><!-- c --><name>x&amp;y</name><description><![CDATA[z]]>"
      + "</description><Point><coordinates>1,2</coordinates></Point></Placemark></kml>"
    for count in 0..<text.utf8.count {
      #expect(try files.message("a.kml", text.utf8.prefix(count)) != "", "\(count) bytes")
    }
    #expect(try files.message("a.kml", text.utf8) == "")
  }

  @Test func `encodings and line ends do not change the objects`() throws {
    let text = "<kml>\r\n<Placemark><name>é\r\nü</name></Placemark></kml>"
    let units: [UInt8] = text.utf16.flatMap { unit -> [UInt8] in
      [UInt8(unit & 0xFF), UInt8(unit >> 8)]
    }
    let utf16: [UInt8] = [0xFF, 0xFE] + units
    let marked: [UInt8] = [0xEF, 0xBB, 0xBF] + Array(text.utf8)
    let latin =
      Array("<?xml version='1.0' encoding='latin1'?>".utf8)
      + text.unicodeScalars.map { UInt8($0.value) }
    for bytes in [Array(text.utf8), utf16, marked, latin] {
      let objects = try files.objects(try files.file("a.kml", bytes)).objects
      #expect(objects == [#"{"name":"é\nü","location":null}"#])
    }
  }
}

import Testing

@testable import CadastreDatasets

@Suite struct TextEncodingTests {
  private func text(_ encoding: TextEncoding?, _ bytes: [UInt8]) -> String? {
    bytes.withUnsafeBytes { encoding?.text($0) }
  }

  @Test(
    arguments: [
      ("UTF-8", "Ä", [0xC3, 0x84]), ("utf8", "Ä", [0xC3, 0x84]), ("65001", "Ä", [0xC3, 0x84]),
      ("ISO-8859-1", "Ä", [0xC4]), ("ISO 8859-15", "€", [0xA4]), ("88592", "ń", [0xF1]),
      ("CP1252", "€", [0x80]), ("ANSI 1251", "Д", [0xC4]), ("windows-1250", "ń", [0xF1]),
      ("OEM 850", "ä", [0x84]), ("437", "ä", [0x84]), ("IBM866", "Д", [0x84]),
      ("LDID/87", "Ä", [0xC4]), ("Shift_JIS", "ア", [0x83, 0x41]), ("Big5", "中", [0xA4, 0xA4]),
      ("GBK", "中", [0xD6, 0xD0]), ("KOI8-R", "а", [0xC1]),
    ] as [(String, String, [UInt8])])
  func `encoding names of .cpg files are known`(name: String, expected: String, bytes: [UInt8]) {
    #expect(text(TextEncoding(name: name), bytes) == expected)
    #expect(text(TextEncoding(name: name), Array("plain".utf8)) == "plain")
  }

  @Test func `unknown names and invalid bytes decode to nil`() {
    for name in ["", "EBCDIC", "ISO-8859-12", "ISO-8859-99", "CP9", "LDID/240"] {
      #expect(TextEncoding(name: name) == nil, "\(name)")
    }
    #expect(text(.utf8, [0xC4]) == nil)
    #expect(text(TextEncoding(codePage: 1252), [0x81]) == nil)
  }

  @Test func `without a declaration, UTF-8 is tried before Windows-1252`() {
    #expect(text(.unknown, [0xC3, 0x84]) == "Ä")
    #expect(text(.unknown, [0xC4, 0x20, 0x80]) == "Ä €")
  }

  @Test func `every code page and language driver has an encoding`() {
    for page in TextEncoding.codePages.keys {
      #expect(text(TextEncoding(codePage: page), [0x41]) == "A", "\(page)")
    }
    for (driver, page) in TextEncoding.languageDrivers {
      #expect(TextEncoding(languageDriver: driver) != nil, "\(driver), \(page)")
    }
  }
}

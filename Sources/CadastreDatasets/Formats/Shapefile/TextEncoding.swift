import Foundation

/// The character encoding of a dBase table.
struct TextEncoding {
  /// The name, for messages.
  let name: String
  private let form: Form

  private enum Form {
    case utf8
    /// UTF-8 for valid UTF-8, else a single-byte encoding.
    case utf8Or([Unicode.Scalar?])
    /// ASCII below 128, and a table for the bytes from 128.
    case singleByte([Unicode.Scalar?])
    /// An encoding with characters of several bytes.
    case multiByte(String.Encoding)
  }

  /// Whether every character is one byte.
  var isSingleByte: Bool {
    if case .singleByte = form { true } else { false }
  }

  private init(name: String, form: Form) {
    self.name = name
    self.form = form
  }

  /// UTF-8.
  static let utf8 = TextEncoding(name: "UTF-8", form: .utf8)

  /// The encoding of tables without a declared one: UTF-8 or Windows-1252, for each value.
  ///
  /// Text in Windows-1252 beyond ASCII is rarely valid UTF-8.
  static let unknown = TextEncoding(
    name: "UTF-8 or Windows-1252", form: .utf8Or(highHalf(.windowsCP1252)))

  /// Creates the encoding of a code page of DOS or Windows; nil if it is unknown.
  init?(codePage: Int) {
    if codePage == 65_001 {
      self = .utf8
    } else if let number = Self.codePages[codePage] {
      self.init(
        name: "code page \(codePage)", foundationNumber: number,
        isMultiByte: [932, 936, 949, 950].contains(codePage))
    } else {
      return nil
    }
  }

  /// Creates the encoding for a name in .cpg files; nil if it is unknown.
  init?(name: String) {
    let plain = name.uppercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    switch plain {
    case "UTF8": self = .utf8
    case "ANSI", "ASCII", "USASCII": self.init(codePage: 1252)
    case "LATIN1": self.init(iso8859: 1)
    case "SJIS", "SHIFTJIS": self.init(codePage: 932)
    case "GBK", "GB2312", "GB18030": self.init(codePage: 936)
    case "EUCKR", "KSC5601", "UHC": self.init(codePage: 949)
    case "BIG5": self.init(codePage: 950)
    case "EUCJP": self.init(name: "EUC-JP", foundationNumber: 0x0920, isMultiByte: true)
    case "KOI8R": self.init(name: "KOI8-R", foundationNumber: 0x0A02, isMultiByte: false)
    default:
      if let part = Self.number(plain, after: "ISO8859", "8859") {
        self.init(iso8859: part)
      } else if let byte = Self.number(plain, after: "LDID") {
        self.init(languageDriver: UInt8(clamping: byte))
      } else if let page = Self.number(
        plain, after: "WINDOWS", "ANSI", "CP", "MS", "IBM", "OEM", "")
      {
        self.init(codePage: page)
      } else {
        return nil
      }
    }
  }

  /// Creates the encoding for byte 29 of the header of a table; nil if it is unknown.
  init?(languageDriver: UInt8) {
    guard let page = Self.languageDrivers[languageDriver] else { return nil }
    self.init(codePage: page)
  }

  private init?(iso8859 part: Int) {
    // There is no part 12. Foundation has no part 8.
    guard (1...16).contains(part), part != 12, part != 8 else { return nil }
    self.init(
      name: "ISO-8859-\(part)", foundationNumber: 0x0200 + UInt(part), isMultiByte: false)
  }

  private init(name: String, foundationNumber: UInt, isMultiByte: Bool) {
    // The numbers of Foundation are those of Core Foundation with bit 31 set.
    let encoding = String.Encoding(rawValue: 0x8000_0000 | foundationNumber)
    self.init(
      name: name, form: isMultiByte ? .multiByte(encoding) : .singleByte(Self.highHalf(encoding)))
  }

  /// Returns the number after the first matching prefix; nil if there is none.
  private static func number(_ text: String, after words: String...) -> Int? {
    for word in words where text.hasPrefix(word) {
      if let number = Int(text.dropFirst(word.count)) { return number }
    }
    return nil
  }

  /// Returns text in UTF-8 whose last character is cut off, without that character; nil for other text.
  func textCutOff(_ bytes: UnsafeRawBufferPointer) -> String? {
    guard case .utf8 = form else { return nil }
    // The first byte of a character, and up to two of the three that may follow it.
    for cut in 1...3 where cut < bytes.count {
      let first = bytes[bytes.count - cut]
      if first & 0xC0 == 0x80 { continue }
      let length = first >= 0xF8 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
      guard length > cut else { return nil }
      return text(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - cut)]))
    }
    return nil
  }

  /// Returns the characters of the bytes from 128 to 255.
  private static func highHalf(_ encoding: String.Encoding) -> [Unicode.Scalar?] {
    (UInt8(128)...255).map { byte in
      let text = String(data: Data([byte]), encoding: encoding)
      guard let scalars = text?.unicodeScalars, scalars.count == 1 else { return nil }
      return scalars.first
    }
  }

  // MARK: - Decoding

  /// Decodes bytes; nil if they are invalid in this encoding.
  func text(_ bytes: UnsafeRawBufferPointer) -> String? {
    let bytes = bytes.assumingMemoryBound(to: UInt8.self)
    switch form {
    case .multiByte(let encoding): return String(data: Data(bytes), encoding: encoding)
    case .utf8: return Self.utf8Text(bytes)
    case .utf8Or(let highHalf): return Self.utf8Text(bytes) ?? Self.text(bytes, highHalf)
    case .singleByte(let highHalf): return Self.text(bytes, highHalf)
    }
  }

  private static func utf8Text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard UTF8Check.firstInvalidOffset(in: bytes) == nil else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func text(
    _ bytes: UnsafeBufferPointer<UInt8>, _ highHalf: [Unicode.Scalar?]
  ) -> String? {
    if bytes.allSatisfy({ $0 < 128 }) { return String(decoding: bytes, as: UTF8.self) }
    var scalars = String.UnicodeScalarView()
    for byte in bytes {
      guard let scalar = byte < 128 ? Unicode.Scalar(byte) : highHalf[Int(byte) - 128] else {
        return nil
      }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}

extension TextEncoding {
  /// The numbers of code pages in Core Foundation.
  ///
  /// Source: swift-corelibs-foundation, "CFStringEncodingExt.h".
  static let codePages: [Int: UInt] = [
    437: 0x0400, 737: 0x0405, 775: 0x0406, 850: 0x0410, 852: 0x0412, 855: 0x0413, 857: 0x0414,
    860: 0x0415, 861: 0x0416, 862: 0x0417, 863: 0x0418, 864: 0x0419, 865: 0x041A, 866: 0x041B,
    869: 0x041C, 874: 0x041D, 932: 0x0420, 936: 0x0421, 949: 0x0422, 950: 0x0423, 1250: 0x0501,
    1251: 0x0502, 1252: 0x0500, 1253: 0x0503, 1254: 0x0504, 1255: 0x0505, 1256: 0x0506,
    1257: 0x0507, 1258: 0x0508, 28591: 0x0201, 28592: 0x0202, 28595: 0x0205, 28597: 0x0207,
    28599: 0x0209, 28605: 0x020F, 88591: 0x0201, 88592: 0x0202, 88595: 0x0205, 88597: 0x0207,
    88599: 0x0209,
  ]

  /// The code pages for the language driver byte of dBase and FoxPro.
  ///
  /// Source: Esri, "ArcPad, Supported code pages", the table "LDID".
  static let languageDrivers: [UInt8: Int] = [
    0x01: 437, 0x02: 850, 0x03: 1252, 0x08: 865, 0x09: 437, 0x0A: 850, 0x0B: 437, 0x0D: 437,
    0x0E: 850, 0x0F: 437, 0x10: 850, 0x11: 437, 0x12: 850, 0x13: 932, 0x14: 850, 0x15: 437,
    0x16: 850, 0x17: 865, 0x18: 437, 0x19: 437, 0x1A: 850, 0x1B: 437, 0x1C: 863, 0x1D: 850,
    0x1F: 852, 0x22: 852, 0x23: 852, 0x24: 860, 0x25: 850, 0x26: 866, 0x37: 850, 0x40: 852,
    0x4D: 936, 0x4E: 949, 0x4F: 950, 0x50: 874, 0x57: 1252, 0x58: 1252, 0x59: 1252, 0x64: 852,
    0x65: 866, 0x66: 865, 0x67: 861, 0x6A: 737, 0x6B: 857, 0x6C: 863, 0x78: 950, 0x79: 949,
    0x7A: 936, 0x7B: 932, 0x7C: 874, 0x7D: 1255, 0x7E: 1256, 0x86: 737, 0x87: 852, 0x88: 857,
    0xC8: 1250, 0xC9: 1251, 0xCA: 1254, 0xCB: 1253, 0xCC: 1257,
  ]
}

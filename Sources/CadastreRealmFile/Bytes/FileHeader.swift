/// The header of a file: its format and the offset of the top node.
struct FileHeader {
  /// The file format; 0 if nothing was ever committed.
  let format: Int
  /// The offset of the top node; nil if there are no tables.
  let top: UInt64?
  /// The offset after the last byte that a node may use.
  let limit: Int

  /// Whether the bytes have the signature of an unencrypted file.
  static func isPresent(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= NodeSpace.headerSize && bytes[16..<20].elementsEqual("T-DB".utf8)
  }

  /// Reads the header.
  ///
  /// - Throws: ``RealmFileError`` if it is invalid or the format is not supported.
  init(_ bytes: UnsafeRawBufferPointer, path: String) throws(RealmFileError) {
    guard bytes.count % 8 == 0 else {
      throw RealmFileError(
        path, .damaged(offset: bytes.count, detail: "the size of the file is no multiple of 8"))
    }
    let slot = Int(bytes[23] & 1)
    let reference = Self.number(bytes, slot * 8)
    format = Int(bytes[20 + slot])
    if reference == 0 {
      (top, limit) = (nil, bytes.count)
    } else if slot == 0, reference == .max {
      limit = bytes.count - Self.footerSize
      guard bytes.count >= NodeSpace.headerSize + Self.footerSize,
        Self.number(bytes, bytes.count - 8) == Self.cookie
      else {
        throw RealmFileError(
          path,
          .damaged(
            offset: max(0, limit), detail: "the last bytes of the copy are missing; it is truncated"
          ))
      }
      let reference = Self.number(bytes, limit)
      top = reference == 0 ? nil : reference
    } else {
      (top, limit) = (reference, bytes.count)
    }
    if let problem = Self.problem(format, isEmpty: top == nil) {
      throw RealmFileError(path, problem)
    }
  }

  private static func problem(_ format: Int, isEmpty: Bool) -> RealmFileError.Problem? {
    switch format {
    case 10, 11, 20...24: nil
    case 0 where isEmpty: nil
    case 1...9: .olderFormat(format)
    case 25...: .newerFormat(format)
    default: .unknownFormat(format)
    }
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The size of the footer of a copy.
  private static let footerSize = 16
  /// The last eight bytes of a complete copy.
  private static let cookie: UInt64 = 0x3034_1252_37E5_26C8
}

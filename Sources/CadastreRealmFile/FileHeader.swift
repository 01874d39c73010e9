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
  /// - Throws: ``RealmFileError`` if the header is invalid or the format is not supported.
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

/// The top node of a file, which Realm calls group: the names of the tables and their nodes.
struct Group {
  /// The tables by the index in their keys; nil where a table was removed or is damaged.
  private(set) var tables: [(name: String, key: Int, top: Node)?] = []
  /// The tables whose keys cannot be read.
  private(set) var damaged: [(name: String, damage: Damage)] = []
  /// The end of the content if the file is shorter than the content; else nil.
  private(set) var missingEnd: Int?

  /// Reads the top node, and limits the space to the content of the file.
  ///
  /// - Parameters:
  ///   - reference: The offset of the node; nil for a file without tables.
  ///   - space: The file.
  /// - Throws: ``Damage``.
  init(_ reference: UInt64?, _ space: inout NodeSpace) throws(Damage) {
    guard let reference else { return }
    let top = try space.node(reference, from: 0)
    try top.requireReferences()
    guard [3, 5, 7, 9, 10, 11, 12].contains(top.count), !top.isInner,
      let size = try top.number(2), size >= UInt64(NodeSpace.headerSize)
    else { throw Damage(top.offset, "expected the top node of a file") }
    guard size <= UInt64(space.limit) else {
      missingEnd = Int(clamping: size)
      return
    }
    space.limit = Int(size)
    let names = try StringLeaf(try space.node(top, 0), space, visited: nil)
    let nodes = try space.node(top, 1)
    try nodes.requireReferences()
    guard names.count == nodes.count, nodes.count <= Self.maximumTables else {
      throw Damage(nodes.offset, "found \(names.count) names of \(nodes.count) tables")
    }
    for index in 0..<nodes.count {
      // A number or 0 marks a removed table.
      guard try nodes.number(index) == nil, try nodes.integer(index) != 0 else {
        tables.append(nil)
        continue
      }
      let name = try names.text(index, nil) ?? ""
      do throws(Damage) {
        let top = try space.node(nodes, index)
        let key = try TableReader.key(top)
        guard key & 0xFFFF == index else {
          throw Damage(top.offset, "found table \(key) at position \(index)")
        }
        tables.append((name, key, top))
      } catch {
        tables.append(nil)
        damaged.append((name, error))
      }
    }
  }

  private static let maximumTables = 65_536
}

/// The header of a FlatGeobuf file.
///
/// Source: flatgeobuf.org, "header.fbs", version 3.
struct FlatGeobufHeader {
  let name: String
  let geometryType: UInt8
  let hasZ: Bool
  let hasM: Bool
  let columns: [FlatGeobufColumn]
  /// The number of features; 0 if it is unknown.
  let featureCount: Int
  /// The number of entries in a node of the index; 0 if there is no index.
  let nodeSize: Int
  let system: GeoMetadata.System

  static let magic: [UInt8] = [0x66, 0x67, 0x62, 3, 0x66, 0x67, 0x62]
  /// The maximum size, as in GDAL, in bytes.
  static let maximumBytes = 10 << 20
  private static let maximumFeatures: UInt64 = 1 << 56
  private static let maximumColumns = 65_535

  /// Parses a header.
  init(_ buffer: FlatBuffer) throws(ColumnarError) {
    let root = try buffer.root()
    name = try buffer.string(0, of: root) ?? ""
    geometryType = try buffer.integer(2, of: root, default: 0)
    hasZ = try buffer.integer(3, of: root, default: UInt8(0)) != 0
    hasM = try buffer.integer(4, of: root, default: UInt8(0)) != 0
    var columns: [FlatGeobufColumn] = []
    if let vector = try buffer.vector(7, of: root, elementBytes: 4) {
      guard vector.count <= Self.maximumColumns else {
        throw buffer.corrupt(
          vector.start, "\(vector.count) columns", expected: "at most \(Self.maximumColumns)")
      }
      // Columns that share a long name would take much more memory than the header.
      var nameBytes = 0
      for index in 0..<vector.count {
        let column = try FlatGeobufColumn(buffer, try buffer.table(index, in: vector))
        nameBytes += column.name.utf8.count
        guard nameBytes <= 3 * buffer.bytes.count else {
          throw buffer.corrupt(
            vector.start, "names of more bytes than the header", expected: "different names")
        }
        columns.append(column)
      }
    }
    self.columns = columns
    let count = try buffer.integer(8, of: root, default: UInt64(0))
    guard count <= Self.maximumFeatures else {
      throw buffer.corrupt(root.position, "\(count) features", expected: "at most 2⁵⁶")
    }
    featureCount = Int(count)
    nodeSize = Int(try buffer.integer(9, of: root, default: UInt16(16)))
    guard nodeSize != 1 else {
      throw buffer.corrupt(root.position, "index nodes of 1 entry", expected: "0, or 2 and more")
    }
    system = try Self.system(buffer, try buffer.table(10, of: root))
  }

  private static func system(
    _ buffer: FlatBuffer, _ crs: FlatBuffer.Table?
  ) throws(ColumnarError) -> GeoMetadata.System {
    guard let crs else { return .wgs84 }
    let organization = try buffer.string(0, of: crs) ?? "EPSG"
    let number = Int32(bitPattern: try buffer.integer(1, of: crs, default: UInt32(0)))
    let text = try buffer.string(5, of: crs)
    let code = number != 0 ? "\(number)" : text ?? ""
    let name = try buffer.string(2, of: crs)
    guard !code.isEmpty else {
      // A system with a definition in well-known text only is recognised by its name.
      guard let definition = try buffer.string(4, of: crs) else { return .wgs84 }
      return name == "WGS 84"
        ? .wgs84 : .other(name: name ?? "an unnamed system", definitions: [definition])
    }
    return GeoMetadata.System(
      authority: organization, code: code, name: name ?? "\(organization):\(code)",
      definition: try buffer.string(4, of: crs))
  }
}

/// A column of the attributes of a FlatGeobuf file.
struct FlatGeobufColumn {
  /// The types; the raw values are the codes of the format.
  enum Kind: UInt8 {
    case int8 = 0
    case uint8, bool, int16, uint16, int32, uint32, int64, uint64, float, double
    case string, json, dateTime, binary
  }

  let name: String
  let kind: Kind

  init(_ buffer: FlatBuffer, _ table: FlatBuffer.Table) throws(ColumnarError) {
    name = try buffer.string(0, of: table) ?? ""
    let number = try buffer.integer(1, of: table, default: UInt8(0))
    guard let kind = Kind(rawValue: number) else {
      throw .unsupported("column '\(name)' has type \(number)", part: "header")
    }
    self.kind = kind
  }
}

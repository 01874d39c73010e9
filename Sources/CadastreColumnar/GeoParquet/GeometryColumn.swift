/// The primary geometry column of a Parquet file.
struct GeometryColumn {
  /// The encoding of the geometries.
  enum Encoding {
    case wellKnownBinary(leaf: Int)
    case coordinates(x: Int, y: Int, z: Int?)
    case nested(NativeGeometry)
  }

  /// The index among the columns.
  let root: Int
  let encoding: Encoding
  /// The covering leaves, with xmin, ymin, xmax and ymax of each geometry; nil without them.
  let covering: [Int]?
  /// The index of the covering column; nil without one.
  let coveringRoot: Int?
  /// The reference system of the coordinates.
  let system: GeoMetadata.System
  /// Whether some geometries are not points; nil if the metadata names no geometry types.
  let hasShapes: Bool?

  private static let usualNames = ["geometry", "geom", "wkb_geometry", "geography"]

  /// Finds the geometry column of a file; returns nil without one.
  ///
  /// - Throws: ``ColumnarError`` if the geometries have an unknown encoding.
  init?(
    _ columns: ParquetColumns, _ metadata: ParquetMetadata, geo: GeoMetadata?
  ) throws(ColumnarError) {
    if let geo {
      guard let root = columns.roots.firstIndex(where: { $0.name == geo.primaryColumn }) else {
        throw .corrupt(
          found: "no column '\(geo.primaryColumn)'", expected: "the column that 'geo' names",
          part: "footer")
      }
      system = geo.system
      self.root = root
      hasShapes =
        geo.types.isEmpty ? nil : geo.types.contains { $0 != "Point" && $0 != "Point Z" }
      encoding = try Self.encoding(geo.encoding, columns.roots[root])
      let covering = geo.covering?.compactMap { path in columns.leaves.first { $0.path == path } }
      self.covering =
        covering?.count == 4 && covering?.allSatisfy { $0.maximumRepetition == 0 } == true
        ? covering?.map(\.index) : nil
      let name = geo.covering?[0].first
      coveringRoot = columns.roots.firstIndex { $0.name == name && $0.name != geo.primaryColumn }
      return
    }
    coveringRoot = nil
    covering = nil
    hasShapes = nil
    let leaves = columns.roots.enumerated().compactMap { index, root -> (Int, LeafColumn)? in
      guard case .leaf(let leaf) = root.node else { return nil }
      return (index, leaf)
    }
    if let (root, leaf) = leaves.first(where: { $0.1.content == .wellKnownBinary }) {
      system = Self.system(of: leaf, metadata)
      (self.root, encoding) = (root, .wellKnownBinary(leaf: leaf.index))
    } else if let (root, leaf) = leaves.first(where: {
      $0.1.content == .data && $0.1.type == .byteArray
        && Self.usualNames.contains($0.1.path[0].lowercased())
    }) {
      system = .wgs84
      (self.root, encoding) = (root, .wellKnownBinary(leaf: leaf.index))
    } else {
      return nil
    }
  }

  private static func encoding(
    _ name: String, _ root: ColumnTree
  ) throws(ColumnarError) -> Encoding {
    if case .leaf(let leaf) = root.node, leaf.type == .byteArray, name.uppercased() == "WKB" {
      return .wellKnownBinary(leaf: leaf.index)
    }
    if case .group(let members) = root.node, name == "point" {
      func leaf(_ name: String) -> Int? {
        for case (.leaf(let leaf), name) in members.map({ ($0.node, $0.name) })
        where leaf.type == .double {
          return leaf.index
        }
        return nil
      }
      if let x = leaf("x"), let y = leaf("y") { return .coordinates(x: x, y: y, z: leaf("z")) }
    }
    if let native = NativeGeometry(name, root) { return .nested(native) }
    throw .corrupt(
      found: "the encoding '\(name)'",
      expected: "WKB, or an encoding of GeoParquet with columns x and y",
      part: "column '\(root.name)'")
  }

  /// Returns the reference system of a native geometry column.
  private static func system(
    of leaf: LeafColumn, _ metadata: ParquetMetadata
  ) -> GeoMetadata.System {
    var index = -1
    for element in metadata.schema where element.type != nil {
      index += 1
      guard index == leaf.index else { continue }
      switch element.logicalType {
      case .geometry(let crs), .geography(let crs):
        return GeoMetadata.System(native: crs, metadata.keyValues)
      default: return .wgs84
      }
    }
    return .wgs84
  }
}

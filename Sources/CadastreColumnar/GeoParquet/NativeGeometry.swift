import CadastreGeometry
import CadastreModel

/// A geometry column in a native encoding: nested lists of coordinate structures.
///
/// Source: OGC GeoParquet 1.1.0, "Encoding"; GeoArrow, "Memory layout".
struct NativeGeometry {
  private enum Kind: String {
    case lineString = "linestring"
    case polygon = "polygon"
    case multiPoint = "multipoint"
    case multiLineString = "multilinestring"
    case multiPolygon = "multipolygon"

    /// The number of nested lists.
    var depth: Int {
      switch self {
      case .lineString, .multiPoint: 1
      case .polygon, .multiLineString: 2
      case .multiPolygon: 3
      }
    }
  }

  let tree: ColumnTree
  /// The conversion of the coordinates and the treatment of open rings; nil for degrees.
  var conversion: GeometryConversion?
  /// The leaves of the longitudes and the latitudes.
  let leaves: (x: Int, y: Int)
  private let kind: Kind
  /// The indexes of the coordinates in a structure.
  private let members: (x: Int, y: Int, z: Int?)

  /// Creates the reader of a column; returns nil for another encoding or other column types.
  init?(_ encoding: String, _ tree: ColumnTree) {
    guard let kind = Kind(rawValue: encoding) else { return nil }
    var node = tree.node
    for _ in 0..<kind.depth {
      guard case .list(let element, _) = node else { return nil }
      node = element.node
    }
    guard case .group(let group) = node else { return nil }
    func member(_ name: String) -> (index: Int, leaf: Int)? {
      for (index, tree) in group.enumerated() where tree.name == name {
        if case .leaf(let leaf) = tree.node, leaf.type == .double { return (index, leaf.index) }
      }
      return nil
    }
    guard let x = member("x"), let y = member("y") else { return nil }
    self.tree = tree
    self.kind = kind
    leaves = (x.leaf, y.leaf)
    members = (x.index, y.index, member("z")?.index)
  }

  /// Returns the geometry of a value of the column; nil if it is null or empty.
  ///
  /// - Throws: ``GeometryProblem`` for null parts, coordinates out of range, short lines and rings
  ///   that are not closed.
  func geometry(_ value: ColumnarValue) throws(GeometryProblem) -> Geometry? {
    if value.isNull { return nil }
    switch kind {
    case .lineString: return try Geometry.unlessEmpty(.lineString(try line(value)), conversion)
    case .multiPoint: return try Geometry.unlessEmpty(.multiPoint(try line(value)), conversion)
    case .polygon: return try Geometry.unlessEmpty(.polygon(try lines(value)), conversion)
    case .multiLineString:
      return try Geometry.unlessEmpty(.multiLineString(try lines(value)), conversion)
    case .multiPolygon:
      var polygons: [[[GeoPosition]]] = []
      for part in try elements(value) { polygons.append(try lines(part)) }
      return try Geometry.unlessEmpty(.multiPolygon(polygons), conversion)
    }
  }

  private func lines(_ value: ColumnarValue) throws(GeometryProblem) -> [[GeoPosition]] {
    var lines: [[GeoPosition]] = []
    for part in try elements(value) { lines.append(try line(part)) }
    return lines
  }

  private func line(_ value: ColumnarValue) throws(GeometryProblem) -> [GeoPosition] {
    var line: [GeoPosition] = []
    for point in try elements(value) {
      guard case .record(let values) = point, let x = Self.number(values[members.x]),
        let y = Self.number(values[members.y])
      else { throw GeometryProblem("found a position without coordinates") }
      line.append(
        try GeoPosition(
          x: x, y: y, z: members.z.flatMap { Self.number(values[$0]) }, conversion))
    }
    return line
  }

  private func elements(_ value: ColumnarValue) throws(GeometryProblem) -> [ColumnarValue] {
    guard case .list(let elements) = value else {
      throw GeometryProblem("found a null part; expected a list of positions")
    }
    return elements
  }

  private static func number(_ value: ColumnarValue) -> Double? {
    guard case .value(let value) = value else { return nil }
    return value.doubleValue
  }
}

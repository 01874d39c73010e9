import CadastreGeometry
import CadastreModel

/// The border of a region on the sphere.
///
/// The library tests the points near it itself: `ST_Covers` takes points up to 0.4 micrometres outside of a polygon as inside, and errs at the
/// poles and for some points opposite to an edge.
struct RegionBorder: Sendable {
  /// The region.
  let region: PreparedRegion
  /// The border.
  let lines: [[RegionOutline.Position]]
  /// The polygon as PostGIS tests it; nil for a line, which has no inside.
  let polygon: [UInt8]?
  /// The class whose points are tested, and their columns.
  let owner: String
  private let names: (longitude: String, latitude: String, geography: String)
  private let cell: String

  init(
    region: PreparedRegion, lines: [[RegionOutline.Position]], polygon: [UInt8]? = nil,
    _ location: SQLOperand.Location
  ) {
    self.region = region
    self.lines = lines
    self.polygon = polygon
    owner = location.owner
    names = location.names
    cell = location.cell.name
  }

  /// The distance from the border, in metres, up to which points are tested here.
  private static let reach = 0.001
  /// About the maximum number of pieces of a border.
  private static let mostPieces = 16

  /// The statement that returns the key, the longitude and latitude, and the answer of PostGIS for
  /// each point near the border or opposite to it, or at a pole.
  func candidates(in table: PostgresTable) -> SQLStatement {
    let schemas = table.names
    var statement = SQLStatement("SELECT \"\(ColumnNaming.key)\", ")
    let quoted = [names.longitude, names.latitude, names.geography].map(SQLStatement.quoted)
    statement.append("\(quoted[0]), \(quoted[1]), ")
    if let polygon {
      statement.append(
        "\(schemas.spatial("ST_Covers"))("
          + "\(statement.parameter(.spatial(polygon), .geography, in: schemas)), \(quoted[2]))")
    } else {
      statement.append("false")
    }
    // A condition for each short piece of the border, because the index has boxes around them.
    let pieces = lines.flatMap {
      RegionOutline.pieces(of: $0, count: Self.mostPieces / lines.count)
    }
    let sides = pieces + pieces.map { $0.map(\.antipode) }
    let borders = sides.map {
      statement.parameter(.spatial(WellKnownBinary.line($0)), .geography, in: schemas)
    }
    let poles = ["'POINT(0 90)'", "'POINT(0 -90)'"].map { "\($0)::\(schemas.type(.geography))" }
    let near = (borders + poles).map {
      "\(schemas.spatial("ST_DWithin"))(\(quoted[2]), \($0), \(Self.reach)::float8, false)"
    }
    statement.append(" FROM \(table.quotedName) WHERE (\(near.joined(separator: " OR ")))")
    if let cells = table.cells(touching: region, cell) {
      let cells = statement.parameter(
        .array(.int8, cells.map(PostgresValue.int8)), .array(.int8))
      statement.append(" AND \(SQLStatement.quoted(cell)) = ANY(\(cells))")
    }
    return statement
  }

  /// The points whose answers differ.
  ///
  /// - Parameter result: The rows of ``candidates(in:)``.
  /// - Returns: The correction.
  /// - Throws: ``PostgresError`` for a row of another form.
  func correction(_ result: ResultBuffer) throws(PostgresError) -> RegionCorrection {
    var correction = RegionCorrection()
    for row in 0..<result.rowCount {
      let values = try result.row(row)
      guard case .int8(let key) = values[0], case .float8(let longitude) = values[1],
        case .float8(let latitude) = values[2], case .bool(let isCovered) = values[3]
      else { continue }
      let isInside = region.contains(longitude: longitude, latitude: latitude)
      if isInside, !isCovered { correction.added.append(key) }
      if !isInside, isCovered { correction.removed.append(key) }
    }
    return correction
  }
}

/// The rows for which PostGIS does not answer as this library does whether a point is in a region.
struct RegionCorrection: Sendable {
  /// The keys of points that are in the region.
  var added: [Int64] = []
  /// The keys of points that are not in the region.
  var removed: [Int64] = []
}

/// Geometries of parameters as extended well-known binary.
enum WellKnownBinary {
  private static let polygonType: UInt32 = 3
  private static let lineType: UInt32 = 2
  private static let identifierFlag: UInt32 = 0x2000_0000
  /// The identifier of longitude and latitude in degrees.
  static let degrees: UInt32 = 4326

  /// A polygon.
  ///
  /// - Parameters:
  ///   - rings: The closed rings, the shell first.
  ///   - identifier: The identifier of the reference system; nil for none.
  /// - Returns: The bytes.
  static func polygon(_ rings: [[RegionOutline.Position]], identifier: UInt32?) -> [UInt8] {
    var bytes = header(polygonType, identifier)
    bytes.appendBigEndian(UInt32(rings.count))
    for ring in rings { append(ring, isTinyZero: identifier != nil, to: &bytes) }
    return bytes
  }

  /// Whether an edge of a ring is so near to half of a great circle that PostGIS refuses it.
  static func hasHalfCircle(_ ring: [RegionOutline.Position]) -> Bool {
    zip(ring, ring.dropFirst()).contains { start, end in
      abs(start.latitude + end.latitude) < 1e-7
        && abs(abs(start.longitude - end.longitude) - 180) < 1e-7
    }
  }

  /// A line along great circles.
  static func line(_ positions: [RegionOutline.Position]) -> [UInt8] {
    var bytes = header(lineType, degrees)
    append(positions, isTinyZero: true, to: &bytes)
    return bytes
  }

  private static func header(_ type: UInt32, _ identifier: UInt32?) -> [UInt8] {
    // Big-endian; the flag says that the identifier follows.
    var bytes: [UInt8] = [0]
    bytes.appendBigEndian(type | (identifier == nil ? 0 : identifierFlag))
    if let identifier { bytes.appendBigEndian(identifier) }
    return bytes
  }

  private static func append(
    _ positions: [RegionOutline.Position], isTinyZero: Bool, to bytes: inout [UInt8]
  ) {
    bytes.appendBigEndian(UInt32(positions.count))
    for position in positions {
      for degrees in [position.longitude, position.latitude] {
        // PostGIS multiplies coordinates, and products of tiny ones lose all their digits.
        bytes.appendBigEndian((isTinyZero && abs(degrees) < 1e-30 ? 0 : degrees).bitPattern)
      }
    }
  }
}

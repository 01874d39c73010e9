import CadastreGeometry
import CadastreModel

/// The border of a region on the sphere.
///
/// The library refines the result for points near the border: `ST_Covers` accepts points up to 0.4 micrometres outside
/// of a polygon, and errs at the poles and for some points antipodal to an edge.
struct RegionBorder: Sendable {
  /// The region.
  let region: PreparedRegion
  /// The border.
  let lines: [[RegionOutline.Position]]
  /// The polygon for PostGIS; nil for a line, which has no interior.
  let polygon: [UInt8]?
  /// The class of the points.
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

  /// The distance from the border, in metres, up to which points are refined.
  private static let reach = 0.001
  /// The approximate maximum number of pieces of a border.
  private static let mostPieces = 16

  /// Returns the statement that reads key, longitude, latitude and the result of PostGIS for each point near the
  /// border, near its antipodes, or at a pole.
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
    // One condition per short piece of the border, because the index compares envelopes.
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

  /// Returns the points for which the exact test differs from the result of PostGIS.
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

/// The points for which the exact test of a region differs from the result of PostGIS.
struct RegionCorrection: Sendable {
  /// The keys of points inside that PostGIS rejects.
  var added: [Int64] = []
  /// The keys of points outside that PostGIS accepts.
  var removed: [Int64] = []
}

/// Geometries of parameters as extended well-known binary.
enum WellKnownBinary {
  private static let polygonType: UInt32 = 3
  private static let lineType: UInt32 = 2
  private static let identifierFlag: UInt32 = 0x2000_0000
  /// The identifier of longitude and latitude in degrees.
  static let degrees: UInt32 = 4326

  /// Encodes a polygon.
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

  /// Returns whether an edge of a ring is so close to half of a great circle that PostGIS rejects it.
  static func hasHalfCircle(_ ring: [RegionOutline.Position]) -> Bool {
    zip(ring, ring.dropFirst()).contains { start, end in
      abs(start.latitude + end.latitude) < 1e-7
        && abs(abs(start.longitude - end.longitude) - 180) < 1e-7
    }
  }

  /// Encodes a line of great circle arcs.
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
        // Products of tiny coordinates underflow in PostGIS.
        bytes.appendBigEndian((isTinyZero && abs(degrees) < 1e-30 ? 0 : degrees).bitPattern)
      }
    }
  }
}

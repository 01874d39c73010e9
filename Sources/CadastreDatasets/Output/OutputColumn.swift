import CadastreGeometry
package import CadastreModel

/// A column of the output.
package struct OutputColumn: Hashable, Sendable {
  /// The path of the content in a record; only the name of the column if it has an expression.
  package let path: PropertyPath
  /// The type of a single value; nil for other content.
  package let type: PropertyType?
  /// Whether the content is a point.
  package let isPoint: Bool
  /// Whether the dates are days, which are written without a time where they have none.
  package var isDay = false
  /// The expression that gives the content; nil for the content at the path.
  let expression: FieldExpression?
  /// Whether areas and lengths are those on the ellipsoid, see ``EllipsoidMeasure``.
  var isOnEllipsoid = false
  /// Another name of the column; nil for that of the path.
  var alias: String?

  /// The name of the column.
  package var name: String { alias ?? path.description }

  /// The names of the members of nested objects that lead to the column.
  var memberNames: [String] { alias.map { [$0] } ?? path.names }

  /// Creates a column for a path.
  package init(_ path: PropertyPath, type: PropertyType?, isPoint: Bool = false) {
    self.path = path
    self.type = type
    self.isPoint = isPoint
    expression = nil
  }

  /// Creates a column with the results of an expression.
  init(_ name: String, _ expression: FieldExpression) {
    path = PropertyPath([name])
    type = expression.type
    isPoint = false
    self.expression = expression
  }

  /// Creates a column for a single name, which may contain full stops.
  package init(_ name: String, type: PropertyType?) {
    self.init(PropertyPath([name]), type: type)
  }

  /// Whether the values are numbers, which are aligned to the right in tables.
  var isNumeric: Bool { type?.isNumeric == true }
}

/// The columns of features, which have one geometry and attributes.
///
/// The geometry is the first column with geometries, else the first with points. All other columns
/// are attributes, also those with further points and geometries.
struct FeatureColumns {
  /// The geometry of a feature.
  enum FeatureGeometry {
    case shape(Geometry)
    /// The coordinates of a point; longitude and latitude come first.
    case point([Double])
  }

  /// The columns other than the geometry.
  let attributes: [OutputColumn]
  private let geometry: OutputColumn?

  /// Separates the geometry from the attributes.
  ///
  /// - Parameters:
  ///   - columns: The columns of the output.
  ///   - all: The columns of the class. One of them is the geometry if no column of the output is.
  init(_ columns: [OutputColumn], of all: [OutputColumn] = []) {
    let geometry = Self.geometry(columns)
    attributes = columns.filter { $0 != geometry }
    self.geometry = geometry ?? Self.geometry(all)
  }

  private static func geometry(_ columns: [OutputColumn]) -> OutputColumn? {
    columns.first { $0.type == .geometry } ?? columns.first(where: \.isPoint)
  }

  /// The path of the geometry; nil if there is none.
  var geometryPath: PropertyPath? { geometry?.path }

  /// Whether geometries may be lines, polygons or collections.
  var hasShapes: Bool { geometry?.type == .geometry }

  /// Returns the geometry of a record; nil for null and for invalid points.
  ///
  /// Without a geometry column, the result is the first geometry or point of the record.
  func geometry(of record: StoredRecord) -> FeatureGeometry? {
    guard let geometry else {
      return record.geometry.map { .shape($0) } ?? record.coordinates.map { .point($0) }
    }
    switch record.content(geometry) {
    case .value(.geometry(let shape)): return .shape(shape)
    case .point(let point): return point.validCoordinates.map { .point($0) }
    default: return nil
    }
  }

  /// Returns the coordinates of the point of a record; nil for other geometries.
  func point(_ record: StoredRecord) -> [Double]? {
    if case .point(let coordinates)? = geometry(of: record) { coordinates } else { nil }
  }

  /// Returns the geometry of a record.
  ///
  /// A negative altitude of a point becomes 0, because `GeoPoint` has no negative altitudes.
  func shape(_ record: StoredRecord) -> Geometry? {
    switch geometry(of: record) {
    case .shape(let geometry): geometry
    case .point(let coordinates):
      GeoPoint(
        latitude: coordinates[1], longitude: coordinates[0],
        altitude: coordinates.count > 2 ? max(coordinates[2], 0) : 0
      ).map(Geometry.init)
    case nil: nil
    }
  }

  /// The notice about areas that ``planarShape(_:)`` cannot divide.
  static let undividedNotice = "areas across ±180° that cannot be divided lead around the map"

  /// Returns the geometry of a record for a format whose edges are straight in the plane: without edges across ±180°, which
  /// would lead around the Earth there.
  ///
  /// - Parameter record: The record.
  /// - Returns: The geometry; the whole one, and false, where it cannot be divided.
  func planarShape(_ record: StoredRecord) -> (geometry: Geometry?, isDivided: Bool) {
    guard let whole = shape(record) else { return (nil, true) }
    let divided = whole.dividedAtAntimeridian()
    return (divided ?? whole, divided != nil)
  }
}

// MARK: - Attributes of binary formats

extension FeatureColumns {
  /// The names and types; a type of nil means text.
  var columnTypes: [(name: String, type: PropertyType?)] {
    attributes.map { ($0.name, $0.type == .geometry ? nil : $0.type) }
  }

  /// The names of the columns with days.
  var days: Set<String> {
    Set(attributes.filter(\.isDay).map(\.name))
  }

  /// Returns the values of a record; nested content is JSON, further geometries are WKT.
  func values(_ record: StoredRecord) -> [Value] {
    attributes.map { column in
      switch record.written(column) {
      case .value(.geometry(let geometry)): .string(geometry.wkt)
      case .value(let value): value
      case let content: .string(FieldText.json(content))
      }
    }
  }
}

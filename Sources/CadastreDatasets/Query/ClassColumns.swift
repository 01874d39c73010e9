import CadastreFormatting
package import CadastreGeometry
package import CadastreModel
package import CadastrePredicate
import CadastreQuery
import CadastreStore

/// The columns of the output for the objects of a class.
package struct ClassColumns {
  private let root: ObjectSchema
  private let schema: Schema
  private let isOnEllipsoid: Bool

  /// Creates the columns of a class; areas and lengths may be those on the ellipsoid, see ``EllipsoidMeasure``.
  package init(_ root: ObjectSchema, in schema: Schema, isOnEllipsoid: Bool = false) {
    self.root = root
    self.schema = schema
    self.isOnEllipsoid = isOnEllipsoid
  }

  /// Returns the columns.
  ///
  /// - Parameter named: Paths and calculations separated by commas, which may be followed by `as` and another name; nil
  ///   for all properties, with the members of embedded objects as single columns and points as one column.
  /// - Returns: The columns.
  /// - Throws: ``QueryPredicateError`` for an unknown path or an invalid calculation.
  package func columns(_ named: String?) throws(QueryPredicateError) -> [OutputColumn] {
    guard let named else { return allColumns(root, prefix: []) }
    var columns: [OutputColumn] = []
    for part in ListText.parts(named) {
      var name = part.trimmingBlanks()
      var alias: String?
      if root[String(name)] == nil,
        let match = name.wholeMatch(of: /(.+?)\s+as\s+(\w+)/.ignoresCase()),
        root[String(match.1)] != nil || !FieldExpression.isExpression(match.1)
      {
        (name, alias) = (match.1, String(match.2))
      }
      if root[String(name)] == nil, FieldExpression.isExpression(name) {
        columns.append(try calculation(name))
        continue
      }
      let path = PropertyPath(String(name))
      if let measure = try measure(path) {
        columns.append(measure)
      } else if let coordinate = try coordinate(path) {
        columns.append(coordinate)
      } else {
        columns.append(column(path, try schema.property(at: path, from: root)))
      }
      columns[columns.count - 1].alias = alias
    }
    return columns
  }

  /// Throws an error if a name after `as` is that of another column, or of the object that contains one.
  static func requireDistinctNames(_ columns: [OutputColumn]) throws(QueryPredicateError) {
    for (index, column) in columns.enumerated() {
      guard let alias = column.alias,
        columns.indices.contains(where: {
          $0 != index && (columns[$0].name == alias || columns[$0].memberNames[0] == alias)
        })
      else { continue }
      throw QueryPredicateError(
        .invalidQuery,
        "two columns have the name '\(printable(alias))'; give one of them another name with 'as'")
    }
  }

  /// Returns the column of a calculation, which may be followed by `as` and a name.
  private func calculation(_ text: Substring) throws(QueryPredicateError) -> OutputColumn {
    let (expression, name) = try FieldExpression.named(text, root, in: schema)
    var column = OutputColumn(expression.text, expression)
    column.isOnEllipsoid = isOnEllipsoid
    if name != expression.text { column.alias = name }
    return column
  }

  /// Returns the column of a coordinate of a point; nil for other paths.
  private func coordinate(_ path: PropertyPath) throws(QueryPredicateError) -> OutputColumn? {
    guard path.names.count > 1, path.names.last.flatMap(PointMember.init) != nil else { return nil }
    let owner = PropertyPath(Array(path.names.dropLast()))
    let property = try schema.property(at: owner, from: root)
    return schema.isPoint(property) ? OutputColumn(path, type: .double) : nil
  }

  /// Returns the column of a measure of a geometry or a part of a date; nil for other paths.
  private func measure(_ path: PropertyPath) throws(QueryPredicateError) -> OutputColumn? {
    let bound = try schema.resolve(path, from: root)
    guard let last = bound.measured?.measures.last else { return nil }
    var column = OutputColumn(path, type: last.type)
    if case .geometry(let measure) = last {
      column.isOnEllipsoid = isOnEllipsoid && EllipsoidMeasure.isMeasured(measure)
    }
    return column
  }

  private func allColumns(_ owner: ObjectSchema, prefix: [String]) -> [OutputColumn] {
    owner.properties.flatMap { property -> [OutputColumn] in
      let names = prefix + [property.name]
      // An embedded object of a recursive class is one column.
      guard schema.isInline(property),
        let target = schema.target(of: property), !target.isPointShaped
      else { return [column(PropertyPath(names), property)] }
      return allColumns(target, prefix: names)
    }
  }

  private func column(_ path: PropertyPath, _ property: Property?) -> OutputColumn {
    let isSingle = property?.collection == nil && property?.type != .object
    return OutputColumn(
      path, type: isSingle && property?.type != .any ? property?.type : nil,
      isPoint: property.map(schema.isPoint) == true)
  }
}

/// The distance of objects from a point, as an additional column.
package struct DistanceColumn: Sendable {
  /// The name of the column, which differs from all properties.
  package let path: PropertyPath
  /// The sort key that orders objects by distance.
  package let sortKey: SortKey
  /// Whether distances are those on the ellipsoid.
  var isOnEllipsoid = false
  private let origin: GeoPoint

  /// Creates a column with the distance to the first point of a class, or to its first geometry.
  package init(
    _ origin: GeoPoint, _ className: String, _ schema: Schema
  ) throws(QueryPredicateError) {
    guard let property = schema[className]?.place(in: schema) else {
      throw QueryPredicateError(.sort, "class '\(className)' has no point and no geometry")
    }
    self.origin = origin
    path = PropertyPath([schema[className]?["distance"] == nil ? "distance" : "#distance"])
    sortKey = SortKey(PropertyPath([property.name]), by: .distance(from: origin))
  }

  /// Returns a record with the distance in metres, rounded to the millimetre; null without a
  /// location.
  package func added(to record: StoredRecord) -> StoredRecord {
    var record = record
    let content = record.content(sortKey.path)
    let value = meters(to: content).map { Value.double(($0 * 1000).rounded() / 1000) } ?? .null
    record.fields.append((path.names[0], .value(value)))
    return record
  }

  /// Returns the distance of a point or a geometry in metres; nil for other content.
  private func meters(to content: StoredRecord.Content) -> Double? {
    switch content {
    case .point(let content):
      Self.point(content).map {
        isOnEllipsoid
          ? EllipsoidMeasure.distance(origin, $0) : origin.distance(to: $0).asMeters()
      }
    case .value(.geometry(let geometry)):
      isOnEllipsoid
        ? EllipsoidMeasure.distance(origin, geometry)
        : geometry.distance(to: Geometry(origin))?.asMeters()
    default: nil
    }
  }

  private static func point(_ content: PointColumns.Content) -> GeoPoint? {
    PointShape.location(type: content.type, coordinates: content.coordinates).flatMap {
      GeoPoint(latitude: $0.latitude, longitude: $0.longitude)
    }
  }
}

extension ObjectSchema {
  /// The first point, or the first geometry of a class without a point.
  package func place(in schema: Schema) -> Property? {
    properties.first(where: schema.isPoint)
      ?? properties.first { $0.type == .geometry && $0.collection == nil }
  }
}

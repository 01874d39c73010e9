package import CadastreModel

/// Where a property is kept in the row of its object.
package enum FieldLayout: Hashable, Sendable {
  /// In one column, by its index.
  case scalar(Int)
  /// As the key of another row, in one column.
  case link(Int)
  /// As an embedded object's columns.
  case embedded(EmbeddedLayout)
  /// As the key of an embedded object's row, in one column: its class holds itself and fits no row.
  case owned(Int)
  /// As rows of a table of its own; the object's row has their number.
  case collection(CollectionLayout)
  /// As the `type` of the point that holds the property.
  case pointType
  /// As the `coordinates` of the point that holds the property.
  case pointCoordinates
}

/// Where an embedded object is kept in its owner's row.
// A class, since it is handed on with every object that is written.
package final class EmbeddedLayout: Sendable {
  /// The embedded class.
  package let schema: ObjectSchema
  /// The way from the row's own object.
  package let path: PropertyPath
  /// The column that holds a number where the object is there, and null where it is not; objects that
  /// follow each other in a row have different numbers.
  package let presence: Int
  /// The columns of its place, when the class has the shape of a GeoJSON point.
  package let point: PointColumns?
  /// Where its properties are kept, in the schema's order.
  package let fields: [FieldLayout]
  /// All of its columns, those of inner objects included.
  package let columns: Range<Int>

  init(
    schema: ObjectSchema, path: PropertyPath, presence: Int, point: PointColumns?,
    fields: [FieldLayout], columns: Range<Int>
  ) {
    self.schema = schema
    self.path = path
    self.presence = presence
    self.point = point
    self.fields = fields
    self.columns = columns
  }
}

extension EmbeddedLayout: Hashable {
  /// The same class in the same place, with the same fields.
  package static func == (first: EmbeddedLayout, second: EmbeddedLayout) -> Bool {
    first === second
      || first.columns == second.columns && first.path == second.path
        && first.schema == second.schema && first.point == second.point
        && first.fields == second.fields
  }

  /// Hashes the place.
  package func hash(into hasher: inout Hasher) { hasher.combine(columns) }
}

extension EmbeddedLayout {
  /// Whether it holds embedded objects of a class in the same row.
  func holds(_ className: String) -> Bool {
    fields.contains { field in
      guard case .embedded(let inner) = field else { return false }
      return inner.schema.className == className || inner.holds(className)
    }
  }
}

/// The columns in which an embedded GeoJSON point is kept.
package struct PointColumns: Hashable, Sendable {
  /// Degrees east; null where the object is at no valid place.
  package let longitude: Int
  /// Degrees north; null where the object is at no valid place.
  package let latitude: Int
  /// The third coordinate; null where there is none.
  package let altitude: Int
  /// JSON of type and coordinates where the other columns cannot give them back unchanged.
  package let odd: Int

  /// Names the columns by their indexes.
  package init(longitude: Int, latitude: Int, altitude: Int, odd: Int) {
    self.longitude = longitude
    self.latitude = latitude
    self.altitude = altitude
    self.odd = odd
  }
}

extension [FieldLayout] {
  /// The collections among the fields, those of embedded objects in the same row included.
  package var collections: [CollectionLayout] {
    flatMap { field -> [CollectionLayout] in
      switch field {
      case .collection(let layout): [layout]
      case .embedded(let embedded): embedded.fields.collections
      case .scalar, .link, .owned, .pointType, .pointCoordinates: []
      }
    }
  }

  /// The columns with keys of embedded objects' rows, those of embedded objects in the same row
  /// included.
  package var ownedColumns: [Int] {
    flatMap { field -> [Int] in
      switch field {
      case .owned(let column): [column]
      case .embedded(let embedded): embedded.fields.ownedColumns
      case .scalar, .link, .collection, .pointType, .pointCoordinates: []
      }
    }
  }
}

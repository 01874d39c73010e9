package import CadastreModel

/// One column of a class's table.
package struct Column: Hashable, Sendable {
  /// The name, such as `address.city`.
  package let name: String
  /// The type of its values; `object` for the row key of a link.
  package let type: PropertyType

  /// The declared type, which gives other tools a hint and SQLite an affinity.
  var declaration: String {
    switch type {
    case .int, .bool, .date, .object: "INTEGER"
    case .float, .double: "REAL"
    case .string: "TEXT"
    case .data, .objectId, .UUID: "BLOB"
    }
  }
}

/// Where a property is kept in the row of its object.
package indirect enum FieldLayout: Hashable, Sendable {
  /// In one column, by its index.
  case scalar(Int)
  /// As the key of another row, in one column.
  case link(Int)
  /// As an embedded object's columns.
  case embedded(EmbeddedLayout)
  /// As the `type` of the point that holds the property.
  case pointType
  /// As the `coordinates` of the point that holds the property.
  case pointCoordinates
}

/// Where an embedded object is kept in its owner's row.
package struct EmbeddedLayout: Hashable, Sendable {
  /// The embedded class.
  package let schema: ObjectSchema
  /// The column that holds 1 where the object is there, and null where it is not.
  package let presence: Int
  /// The columns of its place, when the class has the shape of a GeoJSON point.
  package let point: PointColumns?
  /// Where its properties are kept, in the schema's order.
  package let fields: [FieldLayout]
  /// All of its columns, those of inner objects included.
  package let columns: Range<Int>
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

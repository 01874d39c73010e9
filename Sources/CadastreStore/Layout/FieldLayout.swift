package import CadastreModel

/// How a property is stored in the row of its object.
package enum FieldLayout: Hashable, Sendable {
  /// In one column, given by its index.
  case scalar(Int)
  /// As the key of the linked row, in one column.
  case link(Int)
  /// As the columns of an embedded object.
  case embedded(EmbeddedLayout)
  /// As the key of an embedded object's row, in one column: its class contains itself and cannot be inline.
  case owned(Int)
  /// As rows of a table of its own; the object's row has the number of elements.
  case collection(CollectionLayout)
  /// As the `type` of a point in point columns.
  case pointType
  /// As the `coordinates` of a point in point columns.
  case pointCoordinates
}

/// How an embedded object is stored in its owner's row.
// A class, because it is passed with every object that is written.
package final class EmbeddedLayout: Sendable {
  /// The embedded class.
  package let schema: ObjectSchema
  /// The path from the row's own object.
  package let path: PropertyPath
  /// The column with a number where the object exists, and null where it does not; when an object is
  /// replaced, the number changes.
  package let presence: Int
  /// The point columns, when the class has the shape of a GeoJSON point.
  package let point: PointColumns?
  /// The storage of its properties, in the schema's order.
  package let fields: [FieldLayout]
  /// All of its columns, including those of nested objects.
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
  /// Returns whether class, path, columns and fields are the same.
  package static func == (first: EmbeddedLayout, second: EmbeddedLayout) -> Bool {
    first === second
      || first.columns == second.columns && first.path == second.path
        && first.schema == second.schema && first.point == second.point
        && first.fields == second.fields
  }

  /// Hashes the columns.
  package func hash(into hasher: inout Hasher) { hasher.combine(columns) }
}

extension EmbeddedLayout {
  /// Returns whether it contains inline embedded objects of a class.
  func holds(_ className: String) -> Bool {
    fields.contains { field in
      guard case .embedded(let inner) = field else { return false }
      return inner.schema.className == className || inner.holds(className)
    }
  }
}

extension [FieldLayout] {
  /// The collections among the fields, including those of inline embedded objects.
  package var collections: [CollectionLayout] {
    flatMap { field -> [CollectionLayout] in
      switch field {
      case .collection(let layout): [layout]
      case .embedded(let embedded): embedded.fields.collections
      case .scalar, .link, .owned, .pointType, .pointCoordinates: []
      }
    }
  }

  /// The columns with keys of embedded objects' rows, including those of inline embedded objects.
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

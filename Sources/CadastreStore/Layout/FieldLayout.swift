package import CadastreModel

/// The storage of a property in the row of its object.
package enum FieldLayout: Hashable, Sendable {
  /// A value in one column; its index.
  case scalar(Int)
  /// A link: the key of the linked row in one column.
  case link(Int)
  /// An embedded object in columns of the row.
  case embedded(EmbeddedLayout)
  /// An embedded object in a separate row, because its class contains itself: the key of that row
  /// in one column.
  case owned(Int)
  /// A collection in the rows of a separate table; the object's row contains the number of
  /// elements.
  case collection(CollectionLayout)
  /// The `type` of a point, which its point columns imply.
  case pointType
  /// The `coordinates` of a point, which its point columns contain.
  case pointCoordinates
}

/// The storage of an embedded object in its owner's row.
// A class, because it is passed with every object that is written.
package final class EmbeddedLayout: Sendable {
  /// The embedded class.
  package let schema: ObjectSchema
  /// The path from the object of the row.
  package let path: PropertyPath
  /// The column with a number where the object exists, and null where it does not.
  ///
  /// The number changes when another object replaces the embedded one.
  package let presence: Int
  /// The point columns, when the class has the shape of a GeoJSON point.
  package let point: PointColumns?
  /// The storage of its properties, in the schema's order.
  package let fields: [FieldLayout]
  /// All columns of the object, including those of nested objects.
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
  /// Returns whether the object contains inline embedded objects of a class.
  func containsInline(_ className: String) -> Bool {
    fields.contains { field in
      guard case .embedded(let inner) = field else { return false }
      return inner.schema.className == className || inner.containsInline(className)
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

  /// The columns with the keys of embedded objects' rows, including columns of inline embedded objects.
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

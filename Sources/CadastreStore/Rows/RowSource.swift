import CadastreModel
import CadastreSQLite

/// Where the rows of batches come from.
package enum RowSource {
  /// The objects of a class.
  case objects(TableLayout)
  /// The elements of collections of values, or the links in collections of objects.
  case elements(CollectionLayout)
  /// The objects in collections, of a class; null links are left out.
  case members(CollectionLayout, TableLayout)
  /// The objects of a class that link to others by a column.
  case linking(Int, TableLayout)
  /// The objects of a class that link to others by a collection.
  case linkingByCollection(CollectionLayout, TableLayout)

  /// The rows of a class that link to others from a place; nil where it holds no links.
  package init?(_ place: LinkPlace) {
    switch place.field {
    case .link(let column), .owned(let column): self = .linking(column, place.layout)
    case .collection(let collection) where collection.target != nil:
      self = .linkingByCollection(collection, place.layout)
    case .collection, .embedded, .scalar, .pointType, .pointCoordinates: return nil
    }
  }

  /// The columns of a row.
  var columns: [Column] {
    switch self {
    case .elements(let collection): [collection.element]
    case .objects(let layout), .members(_, let layout), .linking(_, let layout),
      .linkingByCollection(_, let layout):
      layout.columns
    }
  }

  /// The key of an object's row; of an element its owner's.
  var key: String {
    if case .elements = self { return "t0.\(CollectionLayout.ownerName)" }
    return "t0.\(SQL.quoted(TableLayout.keyName))"
  }

  /// The key of the row that an element belongs to, or that an object links to.
  var owner: String {
    switch self {
    case .objects, .elements: key
    case .members: "c.\(CollectionLayout.ownerName)"
    case .linking(let column, let layout): "t0.\(SQL.quoted(layout.columns[column].name))"
    case .linkingByCollection: "c.\(CollectionLayout.valueName)"
    }
  }

  private var tables: String {
    switch self {
    case .objects(let layout), .linking(_, let layout): "\(SQL.quoted(layout.tableName)) t0"
    case .elements(let collection): "\(SQL.quoted(collection.tableName)) t0"
    case .members(let collection, let layout):
      joined(collection, layout, CollectionLayout.valueName)
    case .linkingByCollection(let collection, let layout):
      joined(collection, layout, CollectionLayout.ownerName)
    }
  }

  /// A collection's rows, each with an object's: CROSS JOIN keeps SQLite to this order.
  private func joined(
    _ collection: CollectionLayout, _ layout: TableLayout, _ column: String
  ) -> String {
    "\(SQL.quoted(collection.tableName)) c CROSS JOIN \(SQL.quoted(layout.tableName)) t0 "
      + "ON \(key) = c.\(column)"
  }

  /// Selects the key, the owner if it is wanted, and columns of all rows.
  func query(
    _ columns: [ColumnReference], _ catalogue: Catalogue, withOwners: Bool = false
  ) -> String {
    var joins = Joins(self.columns, catalogue)
    let names = columns.flatMap { joins.names(of: $0) }
    let keys = withOwners ? [key, owner] : [key]
    return "SELECT \((keys + names).joined(separator: ", ")) FROM \(tables)\(joins.sql)"
  }
}

import CadastreModel
import CadastreSQLite

/// The rows that batches contain.
package enum RowSource {
  /// The objects of a class.
  case objects(TableLayout)
  /// The objects of a class with the keys that are bound to some parameters, in the order of the parameters.
  case listed(TableLayout, count: Int)
  /// The elements of collections of values, or the links in collections of objects.
  case elements(CollectionLayout)
  /// The objects of a class in collections; null links are left out.
  case members(CollectionLayout, TableLayout)
  /// The objects of a class that link to others by a column.
  case linking(Int, TableLayout)
  /// The objects of a class that link to others by a collection.
  case linkingByCollection(CollectionLayout, TableLayout)

  /// The rows that link to others by a property; nil where the property is no link.
  package init?(_ location: LinkLocation) {
    switch location.field {
    case .link(let column), .owned(let column): self = .linking(column, location.layout)
    case .collection(let collection) where collection.target != nil:
      self = .linkingByCollection(collection, location.layout)
    case .collection, .embedded, .scalar, .pointType, .pointCoordinates: return nil
    }
  }

  /// The columns of a row.
  var columns: [Column] {
    switch self {
    case .elements(let collection): [collection.element]
    case .objects(let layout), .listed(let layout, _), .members(_, let layout),
      .linking(_, let layout), .linkingByCollection(_, let layout):
      layout.columns
    }
  }

  /// The key of an object's row; for an element that of its owner.
  var key: String {
    if case .elements = self { return "t0.\(CollectionLayout.ownerName)" }
    return "t0.\(SQL.quoted(TableLayout.keyName))"
  }

  /// The key of the row that owns an element, or to which an object links.
  var owner: String {
    switch self {
    case .objects, .listed, .elements: key
    case .members: "c.\(CollectionLayout.ownerName)"
    case .linking(let column, let layout): "t0.\(SQL.quoted(layout.columns[column].name))"
    case .linkingByCollection: "c.\(CollectionLayout.valueName)"
    }
  }

  private var tables: String {
    switch self {
    case .objects(let layout), .linking(_, let layout): "\(SQL.quoted(layout.tableName)) t0"
    case .listed(let layout, let count):
      "(VALUES \(repeatElement("(?)", count: count).joined(separator: ","))) k "
        + "CROSS JOIN \(SQL.quoted(layout.tableName)) t0 ON \(key) = k.column1"
    case .elements(let collection): "\(SQL.quoted(collection.tableName)) t0"
    case .members(let collection, let layout):
      joined(collection, layout, CollectionLayout.valueName)
    case .linkingByCollection(let collection, let layout):
      joined(collection, layout, CollectionLayout.ownerName)
    }
  }

  /// Returns the join of a collection with a class's table; CROSS JOIN fixes this order in SQLite.
  private func joined(
    _ collection: CollectionLayout, _ layout: TableLayout, _ column: String
  ) -> String {
    "\(SQL.quoted(collection.tableName)) c CROSS JOIN \(SQL.quoted(layout.tableName)) t0 "
      + "ON \(key) = c.\(column)"
  }

  /// Returns the query for the key, the owner if `withOwners`, and columns of all rows.
  func query(
    _ columns: [ColumnReference], _ catalogue: Catalogue, withOwners: Bool = false
  ) -> String {
    var joins = Joins(self.columns, catalogue)
    let names = columns.flatMap { joins.names(of: $0) }
    let keys = withOwners ? [key, owner] : [key]
    return "SELECT \((keys + names).joined(separator: ", ")) FROM \(tables)\(joins.sql)"
  }
}

import CadastreModel
import CadastreSQLite

/// The source of the rows of batches.
package enum RowSource {
  /// The objects of a class.
  case objects(TableLayout)
  /// The objects of a class whose keys are bound to parameters, in the order of the parameters.
  case listed(TableLayout, count: Int)
  /// The elements of collections of values, or the links in collections of objects.
  case elements(CollectionLayout)
  /// The objects of a class in collections, without null links.
  case members(CollectionLayout, TableLayout)
  /// The objects of a class that link to others by a column.
  case linking(Int, TableLayout)
  /// The objects of a class that link to others by a collection.
  case linkingByCollection(CollectionLayout, TableLayout)

  /// The rows that link to others by a property; nil where the property is not a link.
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

  /// The key of an object's row, or the key of an element's owner.
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

  /// Returns the query for the key, the owner if `withOwners` is true, and columns of all rows.
  func query(
    _ columns: [ColumnReference], _ catalogue: Catalogue, withOwners: Bool = false
  ) -> String {
    var joins = Joins(self.columns, catalogue)
    let names = columns.flatMap { joins.names(of: $0) }
    let keys = withOwners ? [key, owner] : [key]
    return "SELECT \((keys + names).joined(separator: ", ")) FROM \(tables)\(joins.sql)"
  }
}

/// The SQL joins of a query, one for each distinct chain of links.
struct Joins {
  private let root: [Column]
  private let catalogue: Catalogue
  private var aliases: [[ColumnReference.Hop]: String] = [[]: "t0"]
  private(set) var sql = ""

  init(_ root: [Column], _ catalogue: Catalogue) {
    self.root = root
    self.catalogue = catalogue
  }

  mutating func names(of reference: ColumnReference) -> [String] {
    let alias = alias(of: reference.hops)
    return columns(reference.hops)[reference.column].sqlNames.map { "\(alias).\($0)" }
  }

  private mutating func alias(of hops: [ColumnReference.Hop]) -> String {
    if let cached = aliases[hops] { return cached }
    let before = Array(hops.dropLast())
    let link = "\(alias(of: before)).\(columnName(before, hops[hops.count - 1].column))"
    let alias = "t\(aliases.count)"
    aliases[hops] = alias
    let table = SQL.quoted(catalogue.layout(hops[hops.count - 1].target)?.tableName ?? "")
    sql += " LEFT JOIN \(table) \(alias) ON \(alias).\(SQL.quoted(TableLayout.keyName)) = \(link)"
    return alias
  }

  private func columns(_ hops: [ColumnReference.Hop]) -> [Column] {
    guard let last = hops.last else { return root }
    return catalogue.layout(last.target)?.columns ?? []
  }

  private func columnName(_ hops: [ColumnReference.Hop], _ column: Int) -> String {
    SQL.quoted(columns(hops)[column].name)
  }
}

/// The SQL texts that read columns of a class in batches, cached by the list of columns.
final class BatchQueries: Sendable {
  /// The SQL texts for some columns.
  final class Texts: Sendable {
    /// The query for the key and the columns of all rows, without conditions.
    let all: String
    /// The query for the row with a key.
    let byKey: SQLText
    /// The query for the rows with ``BatchQueries/listedKeys`` keys, in the order of the keys.
    let byKeys: SQLText

    fileprivate init(all: String, listed: String, key: String) {
      self.all = all
      byKeys = SQLText(listed)
      byKey = SQLText("\(all) WHERE \(key) = ?")
    }
  }

  // An array, because queries read few distinct lists of columns of a class, and hashing a list takes longer
  // than comparing it with all of them.
  private let cached = Guarded<[(columns: [Int], texts: Texts)]>([])
  private static let maximumCount = 64
  /// The number of keys in a query for several rows: with more keys it takes longer to prepare, and saves no
  /// time per row.
  static let listedKeys = 16

  /// Returns the texts of the queries for some columns.
  ///
  /// - Parameters:
  ///   - columns: The columns, also of linked classes.
  ///   - layout: The layout of the class.
  ///   - catalogue: The classes.
  /// - Returns: The texts; they are cached for columns of the class itself.
  func texts(
    of columns: [ColumnReference], _ layout: TableLayout, _ catalogue: Catalogue
  ) -> Texts {
    func composed() -> Texts {
      let source = RowSource.objects(layout)
      let listed = RowSource.listed(layout, count: Self.listedKeys)
      return Texts(
        all: source.query(columns, catalogue), listed: listed.query(columns, catalogue),
        key: source.key)
    }
    // A key path would be evaluated at run time, which takes longer than the comparison below.
    guard columns.allSatisfy({ $0.hops.isEmpty }) else { return composed() }
    let found = cached.withLock { cached in
      cached.first { $0.columns.elementsEqual(columns.lazy.map(\.column)) }?.texts
    }
    if let found { return found }
    let texts = composed()
    cached.withLock { cached in
      if cached.count == Self.maximumCount { cached.removeFirst() }
      cached.append((columns.map(\.column), texts))
    }
    return texts
  }
}

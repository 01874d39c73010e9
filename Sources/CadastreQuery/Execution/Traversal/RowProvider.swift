package import CadastreModel
package import CadastrePredicate
package import CadastreStore

/// The rows and collections that filters reach from the rows of a batch: those of a store, or rows in memory.
///
/// Rows in memory need the first five members only; the others have implementations that use these.
package protocol RowProvider: AnyObject {
  /// The classes, and the layouts of their rows.
  var catalogue: Catalogue { get }
  /// Whether the rows stay as they are, so that a reader may cache them.
  var areRowsImmutable: Bool { get }
  /// Returns the columns of a row; nil where there is none with the key.
  func row(_ layout: TableLayout, _ key: Int64) throws -> [Value]?
  /// Returns the elements of a collection: those of a list in order, those of a map in the byte order of its keys.
  func elements(_ layout: CollectionLayout, of owner: Int64) throws -> [Value]
  /// Returns the keys of a map in byte order.
  func keys(_ layout: CollectionLayout, of owner: Int64) throws -> [String]

  /// Returns the key of the object with a value of its class's primary key; nil where there is none.
  func key(_ className: String, primaryKey value: Value) throws -> Int64?
  /// Returns one column of a row; nil where there is no row with the key.
  func value(_ column: Int, of layout: TableLayout, _ key: Int64) throws -> Value?
  /// Passes columns of the rows with some keys, in their order, to a closure in batches.
  func forEachBatch(
    _ layout: TableLayout, _ columns: [ColumnReference], of keys: [Int64],
    _ body: (borrowing ColumnBatch) throws -> Void) throws
  /// Passes the elements of some owners, whose keys ascend, to a closure in batches.
  ///
  /// A batch may include elements of other owners. With an `entry`, it has the entries of maps under that key only.
  func forEachBatch(
    _ source: RowSource, _ columns: [ColumnReference], entry: String?, of owners: [Int64],
    _ body: (borrowing ColumnBatch) throws -> Void) throws
  /// Returns the element at a position of a list; nil where the list is shorter.
  func element(
    _ layout: CollectionLayout, of owner: Int64, at position: BoundPath.ListPosition
  ) throws -> Value?
  /// Returns the value under a key of a map; nil where the map lacks the key.
  func entry(_ layout: CollectionLayout, of owner: Int64, _ key: String) throws -> Value?
  /// Returns the number of elements of a collection.
  func count(_ layout: CollectionLayout, of owner: Int64) throws -> Int
  /// Returns the keys of the rows that link to an object by a property, ascending, once for each link.
  func keys(linkingTo key: Int64, by links: LinkLocation) throws -> [Int64]
  /// Returns the number of links of all kinds to an object.
  func incomingLinkCount(_ className: String, _ key: Int64) throws -> Int
  /// Returns the geometries of the objects of a class for relations to any of them; nil where there are none.
  func geometries(
    _ objects: BoundObjectGeometries, of relation: BoundRelation, _ schema: Schema
  ) throws -> JoinIndex?
  /// Returns the relevance to some words of the texts in a full-text index, by key.
  func relevance(
    of index: TableLayout.TextIndex, to words: TextPattern
  ) throws -> [Int64: Double]
}

/// Rows in memory, to which nothing outside of them links.
extension RowProvider {
  package func key(_ className: String, primaryKey value: Value) throws -> Int64? { nil }

  package func value(_ column: Int, of layout: TableLayout, _ key: Int64) throws -> Value? {
    try row(layout, key)?[column]
  }

  package func forEachBatch(
    _ layout: TableLayout, _ columns: [ColumnReference], of keys: [Int64],
    _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    var batch = ColumnBatch(columns)
    for key in keys {
      guard try append(key, layout, columns, to: &batch), batch.isFull else { continue }
      try body(batch)
      batch.removeAll()
    }
    if !batch.isEmpty { try body(batch) }
  }

  package func forEachBatch(
    _ source: RowSource, _ columns: [ColumnReference], entry: String?, of owners: [Int64],
    _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    var batch = ColumnBatch(columns, withOwners: true)
    for owner in owners {
      switch source {
      case .elements(let collection):
        for value in try values(collection, owner, entry) {
          batch.append(owner, owner: owner, repeatElement(value, count: columns.count))
        }
      case .members(let collection, let layout):
        for case .link(let key) in try values(collection, owner, entry) {
          _ = try append(key.rawValue, owner: owner, layout, columns, to: &batch)
        }
      // Nothing links to rows in memory backwards.
      case .linking, .linkingByCollection, .objects, .listed: break
      }
      guard batch.isFull else { continue }
      try body(batch)
      batch.removeAll()
    }
    if !batch.isEmpty { try body(batch) }
  }

  private func values(
    _ layout: CollectionLayout, _ owner: Int64, _ entry: String?
  ) throws -> [Value] {
    guard let entry else { return try elements(layout, of: owner) }
    return try self.entry(layout, of: owner, entry).map { [$0] } ?? []
  }

  /// Appends columns of a row to a batch; returns false where there is no row with the key.
  func append(
    _ key: Int64, owner: Int64? = nil, _ layout: TableLayout, _ columns: [ColumnReference],
    to batch: inout ColumnBatch
  ) throws -> Bool {
    var values: [Value] = []
    values.reserveCapacity(columns.count)
    for column in columns {
      guard let value = try value(column, of: layout, key) else { return false }
      values.append(value)
    }
    if columns.isEmpty, try row(layout, key) == nil { return false }
    batch.append(key, owner: owner, values)
    return true
  }

  /// Returns a column at the end of a chain of links; null behind a null link, nil where there is no first row.
  private func value(
    _ reference: ColumnReference, of layout: TableLayout, _ key: Int64
  ) throws -> Value? {
    var (layout, key) = (layout, key)
    for hop in reference.hops {
      guard let link = try value(hop.column, of: layout, key) else { return nil }
      guard case .link(let target) = link, let next = catalogue.layout(hop.target) else {
        return .null
      }
      (layout, key) = (next, target.rawValue)
    }
    let value = try value(reference.column, of: layout, key)
    return value ?? (reference.hops.isEmpty ? nil : .null)
  }

  package func element(
    _ layout: CollectionLayout, of owner: Int64, at position: BoundPath.ListPosition
  ) throws -> Value? {
    let elements = try elements(layout, of: owner)
    return switch position {
    case .index(let index): elements.indices.contains(index) ? elements[index] : nil
    case .first: elements.first
    case .last: elements.last
    }
  }

  package func entry(
    _ layout: CollectionLayout, of owner: Int64, _ key: String
  ) throws -> Value? {
    let index = try keys(layout, of: owner).firstIndex { $0.hasSameBytes(as: key) }
    return try index.map { try elements(layout, of: owner)[$0] }
  }

  package func count(_ layout: CollectionLayout, of owner: Int64) throws -> Int {
    try elements(layout, of: owner).count
  }

  package func keys(linkingTo key: Int64, by links: LinkLocation) throws -> [Int64] { [] }

  package func incomingLinkCount(_ className: String, _ key: Int64) throws -> Int { 0 }

  package func geometries(
    _ objects: BoundObjectGeometries, of relation: BoundRelation, _ schema: Schema
  ) throws -> JoinIndex? { nil }

  package func relevance(
    of index: TableLayout.TextIndex, to words: TextPattern
  ) throws -> [Int64: Double] { [:] }
}

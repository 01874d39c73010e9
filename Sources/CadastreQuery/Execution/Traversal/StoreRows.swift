import CadastreModel
import CadastrePredicate
import CadastreStore

/// The rows and collections of a snapshot or a write transaction.
final class StoreRows: RowProvider {
  let reader: any StoreReader
  private lazy var incoming = IncomingLinks(reader)

  init(_ reader: any StoreReader) { self.reader = reader }

  var catalogue: Catalogue { reader.catalogue }

  /// The reader sees one version, and a filter is not used after a change of its transaction.
  var areRowsImmutable: Bool { true }

  func row(_ layout: TableLayout, _ key: Int64) throws -> [Value]? {
    try reader.row(layout, ObjectKey(key))
  }

  func key(_ className: String, primaryKey value: Value) throws -> Int64? {
    try reader.key(className, primaryKey: value)?.rawValue
  }

  // MARK: Batches

  func forEachBatch(
    _ layout: TableLayout, _ columns: [ColumnReference], of keys: [Int64],
    _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    try BatchReader(layout, columns, reader).forEachBatch(of: keys, body)
  }

  func forEachBatch(
    _ source: RowSource, _ columns: [ColumnReference], entry: String?, of owners: [Int64],
    _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    try ElementReader(source, columns, key: entry, reader).forEachBatch(of: owners, body)
  }

  // MARK: Collections

  func elements(_ layout: CollectionLayout, of owner: Int64) throws -> [Value] {
    try CollectionReader(layout, reader).values(ObjectKey(owner))
  }

  func element(
    _ layout: CollectionLayout, of owner: Int64, at position: BoundPath.ListPosition
  ) throws -> Value? {
    let list = CollectionReader(layout, reader)
    let count = try list.count(ObjectKey(owner))
    let index =
      switch position {
      case .index(let index): index
      case .first: 0
      case .last: count - 1
      }
    return (0..<count).contains(index) ? try list.value(ObjectKey(owner), at: index) : nil
  }

  func entry(_ layout: CollectionLayout, of owner: Int64, _ key: String) throws -> Value? {
    try CollectionReader(layout, reader).value(ObjectKey(owner), forKey: key)
  }

  func keys(_ layout: CollectionLayout, of owner: Int64) throws -> [String] {
    try CollectionReader(layout, reader).entries(ObjectKey(owner)).map(\.key)
  }

  func count(_ layout: CollectionLayout, of owner: Int64) throws -> Int {
    try reader.elementCount(layout, owner)
  }

  // MARK: Links and geometries

  func keys(linkingTo key: Int64, by links: LinkLocation) throws -> [Int64] {
    try links.keys(linkingTo: ObjectKey(key), reader)
  }

  func incomingLinkCount(_ className: String, _ key: Int64) throws -> Int {
    try incoming.count(className, key)
  }

  func geometries(
    _ objects: BoundObjectGeometries, of relation: BoundRelation, _ schema: Schema
  ) throws -> JoinIndex? {
    let executor = Executor(reader, schema: schema)
    let plan = Planner(StoreCatalog(reader)).plan(objects.query)
    return try JoinIndex(
      executor.keys(plan).keys, at: objects.path, edges: relation.edges, executor)
  }

  func relevance(
    of index: TableLayout.TextIndex, to words: TextPattern
  ) throws -> [Int64: Double] {
    try TextIndexSearch(index, reader).relevance(of: words.included)
  }
}

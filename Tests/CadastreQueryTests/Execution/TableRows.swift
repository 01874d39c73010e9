import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Objects of a class in memory and in a store.
final class TableRows {
  private let schema: Schema
  private var objects: PlainObjects
  private let rows: RowList
  private let file: StoreFile

  init(_ properties: [Property]) throws {
    schema = Schema([ObjectSchema(className: "Row", properties: properties)])
    objects = PlainObjects(schema: schema)
    rows = RowList(Catalogue(inMemory: schema))
    file = try TestStore.temporary(schema)
  }

  func fill(_ members: [PlainObject]) throws {
    let layout = try #require(rows.catalogue.layout("Row"))
    // The keys of stored rows begin with 1.
    rows.append(ImportRow(columns: layout.columns.count), layout)
    for object in members {
      objects.insert("Row", object)
      var row = ImportRow(columns: layout.columns.count)
      row.values = layout.row(object)
      for collection in layout.collections {
        switch object[collection.path.names[0]] {
        case .list(let values)?:
          row.members.append(.list(collection, values.map { .value($0) }))
        case .map(let map)?:
          row.members.append(.map(collection, map.entries.map { ($0.key, .value($0.value)) }))
        default: break
        }
      }
      rows.append(row, layout)
    }
    let transaction = try file.beginWrite()
    try transaction.insert(objects)
    try transaction.commit()
  }

  /// Compares the objects that match predicates, and returns the number of predicates that fit the types.
  func check(_ predicates: [QueryPredicate], _ name: String) throws -> Int {
    let snapshot = try file.snapshot()
    let catalog = StoreCatalog(snapshot)
    let executor = Executor(snapshot, catalog: catalog)
    let root = try #require(schema["Row"])
    let oracle = ScanOracle(objects)
    var eager = Planner.Options()
    eager.costs.rowRead = 1e6
    eager.costs.scanStep = 1e6
    var count = 0
    for predicate in predicates {
      guard let bound = try? predicate.bound(to: schema, root: root) else { continue }
      count += 1
      let expected = try oracle.matching("Row", bound)
      let filter = try RowFilter(bound, on: "Row", of: rows)
      let query = BoundQuery("Row", where: bound)
      for (form, found) in [
        ("in memory", try objects.keys("Row").filter { try filter.matches($0) }),
        ("scanned", try executor.keys(Planner(catalog, options: .withoutIndexes).plan(query)).keys),
        ("planned", try executor.keys(Planner(catalog, options: eager).plan(query)).keys.sorted()),
      ] where found != expected {
        Issue.record("\(name), \(form): \(bound)\nfound \(found)\nexpected \(expected)")
        return count
      }
    }
    return count
  }
}

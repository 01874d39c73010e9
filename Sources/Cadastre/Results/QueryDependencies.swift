import CadastreModel
import CadastrePlanner
import CadastrePredicate
import CadastreStore

/// What the answer to a question depends on: which objects a class has, and the columns that the
/// question reads.
struct QueryDependencies {
  /// The class that is asked about.
  let className: String
  /// The columns that are read, by class.
  private(set) var columns: [String: Set<Int>] = [:]

  init(_ query: ObjectQuery, _ layout: TableLayout, _ catalogue: Catalogue) {
    className = query.className
    for path in query.predicate.paths + query.order.map(\.path) {
      add(path, layout, catalogue)
    }
  }

  /// Adds the columns on the way to a property and at its end, whole embedded objects included.
  private mutating func add(_ path: PropertyPath, _ root: TableLayout, _ catalogue: Catalogue) {
    var layout = root
    var (schema, fields) = (root.schema, root.fields)
    for name in path.names {
      guard let index = schema.index(of: name) else { return }
      switch fields[index] {
      case .scalar(let column): insert(column..<column + 1, layout)
      case .link(let column):
        insert(column..<column + 1, layout)
        guard let target = schema.properties[index].objectClassName,
          let next = catalogue.layout(target)
        else { return }
        layout = next
        (schema, fields) = (next.schema, next.fields)
      case .embedded(let embedded):
        insert(embedded.columns, layout)
        (schema, fields) = (embedded.schema, embedded.fields)
      case .pointType, .pointCoordinates: return
      }
    }
  }

  private mutating func insert(_ range: Range<Int>, _ layout: TableLayout) {
    columns[layout.schema.className, default: []].formUnion(range)
  }
}

/// When classes and columns were last written within a transaction.
struct WriteLog {
  private var insertions: [String: UInt64] = [:]
  private var updates: [String: [Int: UInt64]] = [:]

  mutating func noteInsertion(_ className: String, at epoch: UInt64) {
    insertions[className] = epoch
  }

  mutating func noteUpdate(_ className: String, _ columns: [Int], at epoch: UInt64) {
    for column in columns { updates[className, default: [:]][column] = epoch }
  }

  /// Whether nothing that a question depends on was written after some state.
  func isUnchanged(_ dependencies: QueryDependencies, since read: UInt64) -> Bool {
    guard insertions[dependencies.className] ?? 0 <= read else { return false }
    return dependencies.columns.allSatisfy { className, columns in
      guard let updated = updates[className] else { return true }
      return columns.allSatisfy { updated[$0] ?? 0 <= read }
    }
  }
}

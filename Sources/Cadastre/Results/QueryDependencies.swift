import CadastreModel
import CadastreStore

/// What the answer to a question depends on: which objects a class has, and the columns that the
/// question reads.
struct QueryDependencies {
  /// The classes of which all objects are asked about.
  private(set) var classNames: Set<String>
  /// The columns that are read, by class.
  private(set) var columns: [String: Set<Int>] = [:]

  /// What the objects of a class and some paths from them depend on.
  init(
    _ className: String, _ paths: [PropertyPath], _ layout: TableLayout, _ catalogue: Catalogue
  ) {
    classNames = [className]
    for path in paths { add(path, layout, catalogue) }
  }

  /// What the elements of a collection property depend on.
  init(of collection: CollectionLayout) {
    classNames = []
    columns = [collection.ownerClass: [collection.countColumn]]
  }

  /// Depends on what another does too.
  mutating func formUnion(_ other: QueryDependencies) {
    classNames.formUnion(other.classNames)
    columns.merge(other.columns) { $0.union($1) }
  }

  /// Adds the columns on the way to a property and at its end, whole embedded objects included.
  private mutating func add(_ path: PropertyPath, _ root: TableLayout, _ catalogue: Catalogue) {
    var layout = root
    var (schema, fields) = (root.schema, root.fields)
    for name in path.names {
      guard let index = schema.index(of: name) else { return }
      switch fields[index] {
      case .scalar(let column): insert(column..<column + 1, layout)
      case .link(let column), .owned(let column):
        insert(column..<column + 1, layout)
        guard let target = schema.properties[index].objectClassName,
          let next = catalogue.layout(target)
        else { return }
        layout = next
        (schema, fields) = (next.schema, next.fields)
      case .embedded(let embedded):
        insert(embedded.columns, layout)
        (schema, fields) = (embedded.schema, embedded.fields)
      case .collection(let collection):
        insert(collection.countColumn..<collection.countColumn + 1, layout)
        guard let target = collection.target, let next = catalogue.layout(target) else { return }
        layout = next
        (schema, fields) = (next.schema, next.fields)
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
    guard dependencies.classNames.allSatisfy({ insertions[$0] ?? 0 <= read }) else { return false }
    return dependencies.columns.allSatisfy { className, columns in
      guard let updated = updates[className] else { return true }
      return columns.allSatisfy { updated[$0] ?? 0 <= read }
    }
  }
}

import CadastreModel
import CadastrePredicate
import CadastreStore

/// The columns that are in memory when a query begins.
struct Residency {
  /// What is in memory.
  enum Kind: String, CaseIterable {
    /// Nothing, and nothing is cached.
    case nothing
    /// All columns.
    case everything
    /// The columns of conditions and order, but not the column that the query yields.
    case tested
  }

  private let file: StoreFile
  private let snapshot: Snapshot
  private let layout: TableLayout
  /// The state that was established last: the columns, and the bytes that they take.
  private var established: (columns: Set<Int>, bytes: [Int: Int])?

  init(of file: StoreFile, _ snapshot: Snapshot) throws {
    guard let layout = snapshot.catalogue.layout(Items.className) else {
      preconditionFailure("the store has no class \(Items.className)")
    }
    self.file = file
    self.snapshot = snapshot
    self.layout = layout
  }

  /// Whether a query differs in a state from other states.
  func applies(_ kind: Kind, to query: BoundQuery) -> Bool {
    guard kind == .tested else { return true }
    return !Set(query.outputPaths.flatMap(columns)).isSubset(of: tested(by: query))
  }

  /// Caches the columns of a state, and evicts others.
  mutating func establish(_ kind: Kind, for query: BoundQuery) throws {
    let columns: Set<Int> =
      switch kind {
      case .nothing: []
      case .tested: tested(by: query)
      case .everything: Set(layout.columns.indices)
      }
    // Rows that a plan has fetched by key would count for the next plan.
    if let established, kind != .tested, established.columns == columns, established.bytes == bytes
    {
      return
    }
    file.columns.budget = 0
    if kind != .nothing {
      file.columns.budget = ColumnCache.defaultBudget
      let references = columns.sorted().map {
        ColumnReference(hops: [], column: $0, type: layout.columns[$0].type)
      }
      let reader = BatchReader(layout, references, snapshot)
      var batch = reader.makeBatch()
      while try reader.readNext(into: &batch) {}
    }
    established = (columns, bytes)
  }

  private func tested(by query: BoundQuery) -> Set<Int> {
    Set((query.predicate.paths + query.order.map(\.path)).flatMap(columns))
  }

  private var bytes: [Int: Int] { file.columns.report.byteCountByColumn[Items.className] ?? [:] }

  /// The columns that a filter of the property at the start of a path reads.
  private func columns(_ path: BoundPath) -> [Int] {
    guard case .property(let property)? = path.hops.first, let field = property.index else {
      return []
    }
    return switch layout.fields[field] {
    case .scalar(let column), .link(let column), .owned(let column): [column]
    case .embedded(let embedded): embedded.point.map { [$0.longitude, $0.latitude] } ?? []
    case .collection, .pointType, .pointCoordinates: []
    }
  }
}

import CadastreGeometry
package import CadastreModel
package import CadastrePlanner
import CadastrePredicate
package import CadastreStore

/// Executes plans on a snapshot or a write transaction, batch by batch.
///
/// The pending index entries of a transaction must be flushed before; the query session does so.
package struct Executor {
  let reader: any StoreReader
  let schema: Schema

  /// An executor on a snapshot or a write transaction.
  ///
  /// - Parameters:
  ///   - reader: The snapshot or the transaction.
  ///   - schema: The classes with their computed properties, which a store does not keep; nil where
  ///     there are none.
  package init(_ reader: any StoreReader, schema: Schema? = nil) {
    self.reader = reader
    self.schema = schema ?? reader.catalogue.schema
  }

  /// The keys of the matching objects, in the order of the plan, and the statistics of the run.
  package func keys(_ plan: Plan) throws -> (keys: [Int64], statistics: RunStatistics) {
    var keys: [Int64] = []
    let statistics = try run(plan, wantsOrder: true) { keys = try $0.keys() }
    return (keys, statistics)
  }

  /// The number of matching objects.
  ///
  /// Rows that the index decides are counted without being read.
  package func count(_ plan: Plan) throws -> (count: Int, statistics: RunStatistics) {
    var plan = plan
    plan.query.order = []
    if case .scan(let className) = plan.access, plan.filters.isEmpty {
      let rows = try reader.rowCount(className)
      let left = max(0, rows - plan.query.offset)
      return (min(left, plan.query.limit ?? left), RunStatistics())
    }
    var count = 0
    let statistics = try run(plan, wantsOrder: false) { run in
      count = try run.count()
    }
    return (count, statistics)
  }

  private func run(
    _ plan: Plan, wantsOrder: Bool, _ body: (inout PlanRun) throws -> Void
  ) throws -> RunStatistics {
    let clock = ContinuousClock()
    let start = clock.now
    var run = try PlanRun(plan, reader, schema, wantsOrder: wantsOrder)
    try body(&run)
    run.statistics.seconds = start.duration(to: clock.now) / .seconds(1)
    return run.statistics
  }
}

/// One run of a plan.
private struct PlanRun {
  private let plan: Plan
  private let reader: any StoreReader
  private let schema: Schema
  private let layout: TableLayout
  private let wantsOrder: Bool
  private let filter: AllFilter
  private let batches: BatchReader
  private var order: RowOrder?
  var statistics = RunStatistics()

  init(
    _ plan: Plan, _ reader: any StoreReader, _ schema: Schema, wantsOrder: Bool
  ) throws {
    guard let layout = reader.catalogue.layout(plan.query.className) else {
      throw StoreError(
        .corrupt("it has no class '\(plan.query.className)'"), path: reader.path)
    }
    self.plan = plan
    self.reader = reader
    self.schema = schema
    self.layout = layout
    self.wantsOrder = wantsOrder
    var compiler = FilterCompiler(layout, reader, schema)
    filter = AllFilter(parts: try compiler.filters(plan.filters))
    if !plan.query.order.isEmpty {
      order = try RowOrder(
        plan.query.order, keep: plan.query.rowsNeeded, &compiler)
    }
    let isLimited = order == nil && plan.query.rowsNeeded != nil
    batches = BatchReader(layout, compiler.request.columns, reader, isLimited: isLimited)
  }

  /// The number of objects.
  mutating func count() throws -> Int {
    guard filter.parts.isEmpty, let found = try countedWithoutKeys() else {
      return try keys().count
    }
    statistics.accessRows = found
    statistics.matchedRows = found
    let left = max(0, found - plan.query.offset)
    statistics.answerRows = min(left, plan.query.limit ?? left)
    return statistics.answerRows
  }

  /// The number of rows that the access path yields, where it is known without their keys.
  private mutating func countedWithoutKeys() throws -> Int? {
    switch plan.access {
    case .spatialSearch(let index, let inside): try count(index, inside)
    case .complement(let className, .spatialSearch(let index, let outside)):
      try reader.rowCount(className) - count(index, outside)
    default: nil
    }
  }

  /// The keys of the objects, in order if an order is wanted.
  mutating func keys() throws -> [Int64] {
    var found: [Int64] = []
    if let nearest = try nearest() {
      found = nearest
    } else if let ordered = try inIndexOrder() {
      found = ordered
    } else if let candidates = try candidates() {
      found = try read(candidates)
    } else {
      found = try scan()
    }
    note(batches)
    statistics.matchedRows = found.count
    if var order {
      found = order.rows()
    }
    let start = min(found.count, plan.query.offset)
    let end = plan.query.limit.map { start + min($0, found.count - start) } ?? found.count
    statistics.answerRows = end - start
    return start == 0 && end == found.count ? found : Array(found[start..<end])
  }

  private mutating func note(_ reading: BatchReader) {
    statistics.rowsRead += reading.rowsRead
    statistics.segmentsInMemory += reading.segments.inMemory
    statistics.segmentsRead += reading.segments.read
  }

  /// The number of matching rows after which the run can stop; nil where all rows must be read.
  private var enough: Int? {
    order == nil ? plan.query.rowsNeeded : nil
  }

  private mutating func scan() throws -> [Int64] {
    var found: [Int64] = []
    var batch = batches.makeBatch()
    while enough.map({ found.count < $0 }) ?? true, try batches.readNext(into: &batch) {
      statistics.accessRows += batch.allRows.count
      found += try matching(batch)
    }
    return found
  }

  /// The candidates that pass the filters, in order of key.
  private mutating func read(_ candidates: [Int64]) throws -> [Int64] {
    statistics.accessRows = candidates.count
    if filter.parts.isEmpty, order == nil { return candidates }
    var found: [Int64] = []
    var batch = batches.makeBatch()
    var next = 0
    while enough.map({ found.count < $0 }) ?? true,
      try batches.readNext(of: candidates, from: &next, into: &batch)
    {
      found += try matching(batch)
    }
    return found
  }

  private mutating func matching(_ batch: borrowing ColumnBatch) throws -> [Int64] {
    guard let enough else {
      let rows = try filter.matching(batch, among: batch.allRows)
      try order?.add(batch, rows)
      return rows.map { batch.key(Int($0)) }
    }
    // The first of these rows may be enough, so the filters begin with a few.
    let all = batch.allRows
    var found: [Int64] = []
    var start = 0
    var size = Self.firstRows
    while start < all.count, found.count < enough {
      let end = min(all.count, start + size)
      found += try filter.matching(batch, among: Array(all[start..<end]))
        .map { batch.key(Int($0)) }
      start = end
      size *= 4
    }
    return found
  }

  /// The number of rows of a batch that are filtered first where few are needed.
  private static let firstRows = 32

  // MARK: Access paths

  /// The candidate keys, each once; nil where all rows are candidates.
  ///
  /// Unsorted results are in order of key, whatever the access path; where only their number or
  /// another order is wanted, the order is that of the access path.
  private mutating func candidates() throws -> [Int64]? {
    switch plan.access {
    case .scan, .nearestSearch, .orderedSearch: return nil
    default:
      let clock = ContinuousClock()
      let start = clock.now
      let keys = try keys(plan.access)
      statistics.accessSeconds = start.duration(to: clock.now) / .seconds(1)
      return wantsOrder && order == nil ? KeySort.ascending(keys) : keys
    }
  }

  /// The keys that an access path yields, each once, in any order.
  private mutating func keys(_ access: AccessPath) throws -> [Int64] {
    switch access {
    case .nothing, .scan, .nearestSearch, .orderedSearch: return []
    case .keyLookup(let path, let values):
      var keys: [Int64] = []
      for value in values {
        if let key = try reader.key(path.root.className, primaryKey: value) {
          keys.append(key.rawValue)
        }
      }
      return keys
    case .indexSearch(let index, let ranges):
      let search = ValueIndexSearch(layout.valueIndexes[index.position], layout, reader)
      var keys: [Int64] = []
      for range in ranges { keys += try search.keys(range) }
      return keys
    case .spatialSearch(let index, let inside):
      let matches = try find(index, inside)
      return matches.accepted + (try exact(matches.candidates, inside))
    case .pointSearch(let index, let longitude, let latitude):
      let matches = try traversal(of: index).find(
        LocationClassifier(longitude: longitude, latitude: latitude))
      note(matches)
      return matches.candidates
    case .textSearch(let index, let pattern):
      return try TextIndexSearch(layout.textIndexes[index.position], reader).keys(
        including: pattern.included, excluding: pattern.excluded)
    case .intersection(_, let parts):
      var common: [Int64]?
      for part in parts {
        let keys = KeySort.ascending(try measuredKeys(part))
        common = common.map { KeySort.common($0, keys) } ?? keys
      }
      return common ?? []
    case .union(_, let parts):
      var all: [Int64] = []
      for part in parts { all += try measuredKeys(part) }
      return KeySort.ascending(all)
    case .complement(_, let part):
      return KeySort.difference(
        try allKeys(), KeySort.ascending(try measuredKeys(part)))
    case .linkedSearch(_, let links, let owners):
      guard let table = reader.catalogue.layout(links.objectClassName ?? ""),
        let place = table.linkLocation(of: links.linkOriginPropertyName ?? "")
      else { return [] }
      return KeySort.ascending(try linked(try targets(owners), place))
    case .linkSearch(_, let link, let targets):
      guard let index = link.index else { return [] }
      let place = layout.linkLocation(ofField: index)
      var keys: [Int64] = []
      for target in try self.targets(targets) {
        keys += try place.keys(linkingTo: ObjectKey(target), reader)
      }
      // An object may link to several of the targets, or to one several times.
      return KeySort.ascending(keys)
    }
  }

  /// The keys of all rows, ascending.
  private mutating func allKeys() throws -> [Int64] {
    let reading = BatchReader(layout, [], reader)
    var batch = reading.makeBatch()
    var keys: [Int64] = []
    while try reading.readNext(into: &batch) {
      keys += batch.allRows.map { batch.key(Int($0)) }
    }
    note(reading)
    return keys
  }

  /// The keys of one part of an access path; their number is recorded in the order in which the
  /// parts are printed.
  private mutating func measuredKeys(_ part: AccessPath) throws -> [Int64] {
    let place = statistics.partRows.count
    statistics.partRows.append(0)
    let keys = try keys(part)
    statistics.partRows[place] = keys.count
    return keys
  }

  /// The keys of the objects that some owners link to by a property.
  private func linked(_ owners: [Int64], _ place: LinkLocation) throws -> [Int64] {
    switch place.field {
    case .link(let column), .owned(let column):
      let batches = BatchReader(
        place.layout, [ColumnReference(hops: [], column: column, type: .object)], reader)
      var keys: [Int64] = []
      try batches.forEachBatch(of: owners) { batch in
        for row in batch.allRows.lazy.map(Int.init) where !batch.columns[0].isNull[row] {
          keys.append(batch.columns[0].integers[row])
        }
      }
      return keys
    case .collection(let layout):
      let collection = CollectionReader(layout, reader)
      return try owners.flatMap { owner in
        try collection.values(ObjectKey(owner)).compactMap { value in
          if case .link(let key) = value { key.rawValue } else { nil }
        }
      }
    case .embedded, .scalar, .pointType, .pointCoordinates: return []
    }
  }

  /// The keys of the linked objects.
  private mutating func targets(_ targets: LinkTargets) throws -> [Int64] {
    switch targets {
    case .objects(let references): return try references.compactMap { try reader.key(of: $0) }
    case .found(let inner):
      var run = try PlanRun(inner, reader, schema, wantsOrder: false)
      let keys = try run.keys()
      statistics.add(run.statistics)
      return keys
    }
  }

  /// The matching rows, nearest first, until no other row can be among those needed; nil for other
  /// access paths, and where too many rows were read: then the rows must be scanned.
  private mutating func nearest() throws -> [Int64]? {
    guard case .nearestSearch(let index, let origin) = plan.access, let emptyOrder = order else {
      return nil
    }
    let vantage = DistanceOrigin(longitude: origin.longitude, latitude: origin.latitude)
    let traversal = try RTreeNearest(
      layout.spatialIndexes[index.position], reader.connection, from: vantage)
    // A row fetched by key costs several times as much as a row of a scan.
    let enough = try max(1000, reader.rowCount(index.className) / 8)
    var found: [Int64] = []
    var batch = batches.makeBatch()
    var size = min(ColumnBatch.capacity, max(16, plan.query.rowsNeeded ?? 16))
    while case let neighbours = try traversal.next(size), !neighbours.isEmpty {
      statistics.accessRows += neighbours.count
      try batches.read(neighbours, into: &batch)
      found += try matching(batch)
      statistics.nodesRead = traversal.nodesRead
      statistics.boxesTested = traversal.boxesTested
      if let angle = order?.lastNeededAngle(), traversal.leastAngle > angle { return found }
      if statistics.accessRows > enough { break }
      size = min(ColumnBatch.capacity, size * 2)
    }
    if statistics.accessRows <= enough, order?.lastNeededAngle() != nil { return found }
    // Too few points match, or they are far apart: a scan finds the rest.
    order = emptyOrder
    return nil
  }

  /// The matching rows, in the order of an index, until no other row can be among those needed; nil
  /// for other access paths, and where too many rows were read: then the rows must be scanned.
  private mutating func inIndexOrder() throws -> [Int64]? {
    guard case .orderedSearch(let index, let isAscending) = plan.access, let emptyOrder = order
    else { return nil }
    let traversal = try ValueIndexTraversal(
      layout.valueIndexes[index.position], layout, isAscending: isAscending, reader)
    // A row fetched by key costs several times as much as a row of a scan.
    let enough = try max(1000, reader.rowCount(index.className) / 8)
    // A null in the index may belong to a missing embedded object, which sorts elsewhere.
    if filter.parts.isEmpty, index.path.hops.count == 1, let needed = plan.query.rowsNeeded {
      let found = try first(needed, of: traversal, isAscending: isAscending, atMost: enough)
      // The rows are in order already.
      if found != nil { order = nil }
      return found
    }
    var found: [Int64] = []
    var batch = batches.makeBatch()
    // One row more than needed shows whether the last one has ties.
    var size = min(ColumnBatch.capacity - 1, max(15, plan.query.rowsNeeded ?? 0)) + 1
    while case let keys = try traversal.next(size), !keys.isEmpty {
      statistics.accessRows += keys.count
      try batches.read(keys, into: &batch)
      found += try matching(batch)
      if keys.count < size { return found }
      // Ties are in order of key, so all rows that tie with the last one must be read.
      if let last = order?.lastNeededValue(), last.ordering(traversal.lastValue) != .same {
        return found
      }
      if statistics.accessRows > enough {
        order = emptyOrder
        return nil
      }
      size = min(ColumnBatch.capacity, size * 2)
    }
    return found
  }

  /// The first rows of an index, ties in order of key; nil where too many rows were read.
  private mutating func first(
    _ needed: Int, of traversal: ValueIndexTraversal, isAscending: Bool, atMost limit: Int
  ) throws -> [Int64]? {
    var found: [Int64] = []
    var level: [Int64] = []
    var value: Value?
    while let entry = try traversal.next() {
      if entry.value != value {
        found += isAscending ? level : level.reversed()
        level = []
        value = entry.value
        if found.count >= needed { break }
      }
      // In ascending order an index has ties in order of key.
      if isAscending, found.count + level.count >= needed { break }
      level.append(entry.key)
      statistics.accessRows += 1
      if statistics.accessRows > limit { return nil }
    }
    return found + (isAscending ? level : level.reversed())
  }

  // MARK: Regions

  /// The number of points in regions; points that the index decides are counted without being
  /// listed.
  mutating func count(_ index: IndexReference, _ inside: PositionPredicate) throws -> Int {
    let matches = try find(index, inside, counting: true)
    return matches.acceptedCount + (try exact(matches.candidates, inside).count)
  }

  /// The points that the index accepts, and the candidates that need refinement.
  private mutating func find(
    _ index: IndexReference, _ inside: PositionPredicate, counting: Bool = false
  ) throws -> RTreeTraversal.Matches {
    let matches = try traversal(of: index).find(
      RegionClassifier(inside.regions), counting: counting)
    note(matches)
    return matches
  }

  private func traversal(of index: IndexReference) throws -> RTreeTraversal {
    try RTreeTraversal(layout.spatialIndexes[index.position], reader.connection)
  }

  private mutating func note(_ matches: RTreeTraversal.Matches) {
    statistics.nodesRead += matches.nodesRead
    statistics.boxesTested += matches.boxesTested
  }

  /// Refines candidates by their exact coordinates.
  ///
  /// The only code that fetches the coordinates of many keys.
  private mutating func exact(
    _ keys: [Int64], _ inside: PositionPredicate
  ) throws -> [Int64] {
    guard !keys.isEmpty else { return [] }
    var compiler = FilterCompiler(layout, reader, schema)
    let filter = try compiler.filter(inside.predicate)
    let reading = BatchReader(layout, compiler.request.columns, reader)
    var found: [Int64] = []
    try reading.forEachBatch(of: keys) { batch in
      found += try filter.matching(batch, among: batch.allRows).map { batch.key(Int($0)) }
    }
    statistics.exactTests += keys.count
    note(reading)
    return found
  }
}

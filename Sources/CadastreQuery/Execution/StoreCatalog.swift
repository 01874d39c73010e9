package import CadastreModel
package import CadastrePredicate
package import CadastreStore

/// The planner's view of a snapshot or a write transaction.
///
/// Estimates come from bounded dives into the real indexes. A dive that fails counts every object;
/// the failure is reported when the plan is executed.
package struct StoreCatalog: Catalog {
  private let reader: any StoreReader
  /// The paths to the columns that the planned query yields.
  private let outputPaths: [BoundPath]
  /// The keys that dives into ordered indexes have found.
  let dives = IndexDives()

  /// The catalog of a snapshot or a write transaction.
  ///
  /// - Parameters:
  ///   - reader: The snapshot or the transaction.
  ///   - query: The query whose plan is run with what the dives find; nil for none that yields columns.
  package init(_ reader: any StoreReader, for query: BoundQuery? = nil) {
    self.reader = reader
    outputPaths = query?.outputPaths ?? []
  }

  package var plans: PlanCache { PlanCache(reader.catalogue.plans) }

  package func lookup(_ plan: Plan, _ choice: CachedPlan.Choice) -> LookupProgram? {
    let terms = plan.query.predicate.conjuncts
    guard plan.query.order.isEmpty, let own = terms[choice.decided[0]].ownComparison,
      let index = valueIndex(own.path), let layout = reader.catalogue.layout(index.className)
    else { return nil }
    switch plan.access {
    case .keyLookup, .indexSearch: break
    default: return nil
    }
    return LookupProgram(
      terms, decided: choice.decided, filters: choice.filters, index, layout, reader.catalogue)
  }

  package func objectCount(_ className: String) -> Int {
    (try? reader.rowCount(className)) ?? 0
  }

  package func cachedShare(
    _ className: String, _ paths: @autoclosure () -> [BoundPath]
  ) -> Double {
    let objects = objectCount(className)
    // A scan of few objects takes so little time that their plans need not depend on what is
    // cached.
    guard objects >= Self.manyObjects, let layout = reader.catalogue.layout(className),
      let source = reader.columnSource(className)
    else { return 0 }
    // Columns behind links are left out: the links decide whether the rows are worth scanning.
    let columns = Set(paths().flatMap { layout.ownColumns($0) })
    return source.shareInMemory(className, Array(columns), of: objects)
  }

  /// The number of objects from which on cached columns count; a scan of fewer takes less than 0.2
  /// ms.
  private static let manyObjects = 65_536

  package func valueIndex(_ path: BoundPath) -> IndexReference? {
    reference(path) { $0.valueIndex(path) }
  }

  package func compoundIndexes(_ className: String) -> [CompoundIndex] {
    guard let layout = reader.catalogue.layout(className), layout.hasCompoundIndexes else {
      return []
    }
    return layout.valueIndexes.indices.filter { layout.valueIndexes[$0].isCompound }.map {
      CompoundIndex(layout.valueIndexes[$0].paths, position: $0)
    }
  }

  package func spatialIndex(_ path: BoundPath) -> IndexReference? {
    reference(path) { $0.spatialIndex(path) }
  }

  package func textIndex(_ path: BoundPath) -> IndexReference? {
    reference(path) { $0.textIndex(path) }
  }

  package func covers(_ access: AccessPath, _ paths: [BoundPath]) -> Bool {
    let index: IndexReference
    switch access {
    case .indexSearch(let searched, _): index = searched
    // The traversal of an index reads one integer with each key.
    case .orderedSearch(let traversed, _, _)
    where paths.allSatisfy({ $0 == paths[0] && $0.end == .value(.int) }): index = traversed
    default: return false
    }
    guard let layout = reader.catalogue.layout(index.className) else { return false }
    let contained = layout.valueIndexes[index.position].contents(in: layout)
    var request = ColumnRequest(layout, reader.catalogue)
    for path in paths {
      guard (try? request.valueSlot(path)) != nil else { return false }
    }
    return request.columns.allSatisfy { $0.hops.isEmpty && contained.contains($0.column) }
  }

  private func reference(
    _ path: BoundPath, _ position: (TableLayout) -> Int?
  ) -> IndexReference? {
    guard let layout = reader.catalogue.layout(path.root.className) else { return nil }
    return position(layout).map { IndexReference(path, position: $0) }
  }

  package func bounds(_ path: BoundPath) -> ClosedRange<Double>? {
    guard case .value(let type) = path.end, path.isPlain,
      let layout = reader.catalogue.layout(path.root.className),
      type == .int || type == .double || type == .float
    else { return nil }
    do throws(StoreError) {
      if let index = layout.valueIndex(path) {
        let range =
          type == .int
          ? ValueRange()
          // The index has NaN beyond all numbers.
          : ValueRange(upper: ValueRange.Bound(.double(.infinity), isIncluded: true))
        var ends: [Double] = []
        for isAscending in [true, false] {
          let traversal = ValueIndexTraversal(
            layout.valueIndexes[index], layout, ranges: [EntryRange(range)],
            isAscending: isAscending, reader)
          guard try traversal.next() != nil, let end = traversal.lastValue.doubleValue else {
            return nil
          }
          ends.append(end)
        }
        return ends[0] <= ends[1] ? ends[0]...ends[1] : nil
      }
      let columns = layout.ownColumns(path)
      // Behind a link, the column has keys of other rows.
      guard path.isInRow, columns.count == 1, cachedShare(path.root.className, [path]) == 1 else {
        return nil
      }
      return try bounds(
        layout, ColumnReference(hops: [], column: columns[0], type: type))
    } catch {
      return nil
    }
  }

  /// The least and the greatest number of a column in memory, apart from NaN; nil where there is none.
  private func bounds(
    _ layout: TableLayout, _ column: ColumnReference
  ) throws(StoreError) -> ClosedRange<Double>? {
    let reading = BatchReader(layout, [column], reader)
    var batch = reading.makeBatch()
    var (least, greatest) = (Double.infinity, -Double.infinity)
    while try reading.readNext(into: &batch) {
      let values = batch.columns[0]
      for row in batch.allRows where !values.isNull(row) {
        let number = column.type == .int ? Double(values.integer(row)) : values.double(row)
        // Comparisons with NaN are false.
        if number < least { least = number }
        if number > greatest { greatest = number }
      }
    }
    return least <= greatest ? least...greatest : nil
  }

  package func estimatedRows(
    _ index: IndexReference, _ ranges: [EntryRange], where predicate: BoundPredicate
  ) -> Double {
    let objects = Double(objectCount(index.className))
    guard let layout = reader.catalogue.layout(index.className) else { return objects }
    let column = yieldedKeyColumn(index, layout)
    let search = ValueIndexSearch(
      layout.valueIndexes[index.position], layout, reader, columns: column.map { [$0] } ?? [])
    var rows = 0.0
    var divesLeft = Self.maximumDives
    for range in ranges {
      // Ranges without a dive are taken to hold as many rows as those with one.
      guard divesLeft > 0 else {
        return min(objects, rows * Double(ranges.count) / Double(Self.maximumDives))
      }
      divesLeft -= 1
      do throws(StoreError) {
        guard let found = try count(range, search, column, index) else {
          return max(rows + Double(Self.diveLimit), manyRows(index.className, predicate, objects))
        }
        rows += Double(found)
      } catch {
        return objects
      }
    }
    return min(objects, rows)
  }

  /// The estimated number of objects that match a predicate; a dive has found that they are more than its limit.
  private func manyRows(
    _ className: String, _ predicate: BoundPredicate, _ objects: Double
  ) -> Double {
    let least = Double(Self.diveLimit)
    // The geometric mean of the bounds is as likely too small as too large.
    guard !predicate.isConstant(true), let sample = sample(className, predicate) else {
      return (least * objects).squareRoot()
    }
    return sample.matching == 0
      ? (least * objects * sample.least).squareRoot() : sample.share * objects
  }

  package func sample(_ className: String, _ predicate: BoundPredicate) -> RowSample? {
    guard let layout = reader.catalogue.layout(className) else { return nil }
    var compiler = FilterCompiler(layout, reader, reader.catalogue.schema)
    guard let filter = try? compiler.filter(predicate), filter.readsBatchOnly,
      compiler.request.columns.allSatisfy({ $0.hops.isEmpty && $0.type.isSmall }),
      let keys = try? reader.keyRange(layout)
    else { return nil }
    let step = max(1, (Double(keys.upperBound) - Double(keys.lowerBound)) / Double(RowSample.size))
    // Keys of other programs may be further apart than the largest signed number.
    let sampled = (0..<RowSample.size).map {
      keys.lowerBound &+ Int64(truncatingIfNeeded: UInt64((Double($0) + 0.5) * step))
    }
    let batches = BatchReader(layout, compiler.request.columns, reader)
    var batch = batches.makeBatch()
    guard (try? batches.read(sampled, into: &batch)) != nil, batch.allRows.count >= Self.fewRows,
      let matching = try? filter.matching(batch)
    else { return nil }
    let count = batch.allRows.count
    return RowSample(
      matching: matching.count, first: matching.first { _ in true } ?? count, of: count)
  }

  /// The number of rows from which on a sample counts; keys may have been deleted.
  private static let fewRows = 16

  /// Returns the column of the integer primary key, if it is all that the query yields and entries contain it.
  private func yieldedKeyColumn(_ index: IndexReference, _ layout: TableLayout) -> Int? {
    guard outputPaths.count == 1, outputPaths[0].root.className == index.className,
      let column = layout.valueIndexes[index.position].integerKeyColumn(in: layout),
      layout.ownColumns(outputPaths[0]) == [column]
    else { return nil }
    return column
  }

  /// Counts the entries in a range and notes them with the column that the query yields; nil where there are more
  /// than the limit.
  private func count(
    _ range: EntryRange, _ search: ValueIndexSearch, _ column: Int?, _ index: IndexReference
  ) throws(StoreError) -> Int? {
    guard let column else {
      guard let keys = try search.keys(range, limit: Self.diveLimit) else { return nil }
      dives.note(keys, index, range)
      return keys.count
    }
    var rows = ColumnBatch([ColumnReference(hops: [], column: column, type: .int)])
    guard try search.append(range, limit: Self.diveLimit, to: &rows) else { return nil }
    dives.note(rows, [column], index, range)
    return rows.addedKeys.count
  }

  package func ties(
    _ index: IndexReference, _ ranges: [EntryRange], isAscending: Bool, at position: Int
  ) -> Int? {
    guard let layout = reader.catalogue.layout(index.className) else { return nil }
    do throws(StoreError) {
      let traversal = ValueIndexTraversal(
        layout.valueIndexes[index.position], layout, ranges: ranges, isAscending: isAscending,
        reader)
      return try traversal.ties(
        at: min(position, Self.diveLimit), limit: Self.diveLimit)
    } catch {
      return nil
    }
  }

  /// The largest number of entries that are read of one range: about 0.1 ms.
  private static let diveLimit = 1000
  /// The largest number of ranges of one search that are counted.
  private static let maximumDives = 16

  package func estimatedRows(_ index: IndexReference, _ pattern: TextPattern) -> Double {
    let objects = Double(objectCount(index.className))
    guard let layout = reader.catalogue.layout(index.className),
      let count = try? TextIndexSearch(layout.textIndexes[index.position], reader).count(
        including: pattern.included, excluding: pattern.excluded, limit: Self.diveLimit)
    else { return objects }
    return count < Self.diveLimit
      ? Double(count) : min(objects, (Double(count) * objects).squareRoot())
  }

  package func estimatedRows(_ index: IndexReference, _ inside: PositionPredicate) -> Double {
    let objects = objectCount(index.className)
    guard let layout = reader.catalogue.layout(index.className),
      let traversal = try? RTreeTraversal(layout.spatialIndexes[index.position], reader),
      let rows = try? traversal.estimate(RegionClassifier(inside.regions), total: objects)
    else { return Double(objects) }
    return min(Double(objects), rows)
  }
}

extension StoreCatalog {
  package func estimatedRows(_ index: IndexReference, _ relation: BoundRelation) -> Double {
    let objects = objectCount(index.className)
    guard let layout = reader.catalogue.layout(index.className),
      let classifier = RelationClassifier(relation),
      let traversal = try? RTreeTraversal(layout.spatialIndexes[index.position], reader),
      let rows = try? traversal.estimate(classifier, total: objects)
    else { return Double(objects) }
    return min(Double(objects), rows)
  }
}

extension BoundPath {
  /// Whether the path leads to its end through embedded objects in the row of the object only.
  fileprivate var isInRow: Bool {
    properties?.dropLast().allSatisfy { $0.target.contains(.inline) } ?? false
  }
}

extension TableLayout {
  /// The columns of the row itself that a path reads; none where it leaves the row at once.
  fileprivate func ownColumns(_ path: BoundPath) -> [Int] {
    var fields = fields
    for hop in path.hops {
      guard case .property(let property) = hop, let index = property.index else { return [] }
      switch fields[index] {
      case .scalar(let column), .link(let column), .owned(let column): return [column]
      case .collection(let collection): return [collection.countColumn]
      case .embedded(let embedded):
        if let point = embedded.point { return [point.longitude, point.latitude] }
        fields = embedded.fields
      case .pointType, .pointCoordinates: return []
      }
    }
    return []
  }

  /// The position of the ordered index on the property at a path.
  func valueIndex(_ path: BoundPath) -> Int? {
    if path.hops.count == 1, case .property(let property) = path.hops[0],
      let field = property.index, case .scalar(let column) = fields[field]
    {
      return valueIndexes.firstIndex { !$0.isCompound && $0.column == column }
    }
    return valueIndexes.firstIndex { !$0.isCompound && $0.path == path.path && !$0.isLink }
  }

  /// The position of the full-text index on the property at a path.
  func textIndex(_ path: BoundPath) -> Int? {
    textIndexes.firstIndex { $0.path == path.path }
  }

  /// The position of the spatial index on the point at a path.
  func spatialIndex(_ path: BoundPath) -> Int? {
    spatialIndexes.firstIndex { $0.path == path.path }
  }
}

package import CadastreGeometry
package import CadastreModel
package import CadastrePredicate
package import CadastreStore

/// Work on objects that are known by their keys, in an order of their own: the elements of a list, or
/// what is left of an answer.
extension Executor {
  /// Those of the objects that match a bound predicate, in the given order.
  ///
  /// - Complexity: O(n), a row read for each key.
  package func matching(
    _ keys: [Int64], of className: String, _ predicate: BoundPredicate
  ) throws -> [Int64] {
    guard predicate != .constant(true), !keys.isEmpty else { return keys }
    let layout = try layout(className)
    var compiler = FilterCompiler(layout, reader, schema)
    let filter = try compiler.filter(predicate)
    var found: [Int64] = []
    try read(keys, layout, compiler.request.columns) { batch in
      found += try filter.matching(batch, among: batch.allRows)
        .map { batch.key(Int($0)) }
    }
    return found
  }

  /// The objects in another order; those that are level stay as they were.
  ///
  /// - Complexity: O(n log n), a row read for each key.
  package func sorted(
    _ keys: [Int64], of className: String, by order: [BoundSortKey]
  ) throws -> [Int64] {
    guard !order.isEmpty, keys.count > 1 else { return keys }
    let layout = try layout(className)
    var compiler = FilterCompiler(layout, reader, schema)
    var rows = try RowOrder(
      order, keep: nil, ties: .position, &compiler)
    try read(keys, layout, compiler.request.columns) { batch in
      try rows.add(batch, batch.allRows)
    }
    return rows.rows()
  }

  /// The first object of each combination of values; those with a null link on the way to one of
  /// them are left out.
  ///
  /// - Complexity: O(n), a row read for each key.
  package func distinct(
    _ keys: [Int64], of className: String, by paths: [BoundPath]
  ) throws -> [Int64] {
    guard !paths.isEmpty else { return keys }
    let layout = try layout(className)
    var compiler = FilterCompiler(layout, reader, schema)
    var found: [Int64] = []
    if paths.count == 1, var column = try distinctColumn(paths[0], &compiler) {
      try read(keys, layout, compiler.request.columns) { batch in
        column.take(batch) { found.append($0) }
      }
      return found
    }
    let order = try RowOrder(
      paths.map { BoundSortKey($0) }, keep: nil, ties: .position, &compiler)
    var seen: Set<[Value]> = []
    try read(keys, layout, compiler.request.columns) { batch in
      for row in batch.allRows.lazy.map(Int.init) {
        guard let values = try order.values(batch, row) else { continue }
        if seen.insert(values.map(\.groupingKey)).inserted { found.append(batch.key(row)) }
      }
    }
    return found
  }

  private func distinctColumn(
    _ path: BoundPath, _ compiler: inout FilterCompiler
  ) throws -> DistinctColumn? {
    guard let (place, way) = try column(path, &compiler) else { return nil }
    return DistinctColumn(place, of: compiler.request.columns[place].type, way: way)
  }

  /// The place in a batch of the column at the end of a path, and of those that are null where something on
  /// the way is; nil where the values stand in no column.
  private func column(
    _ path: BoundPath, _ compiler: inout FilterCompiler
  ) throws -> (place: Int, way: [Int])? {
    guard path.isPlain, let properties = path.properties else { return nil }
    let (leaf, way) = try compiler.request.leaf(properties)
    guard case .value(let place) = leaf else { return nil }
    return (place, way)
  }

  /// The first object of each value of an indexed property among all objects of a class, ascending; nil
  /// where no index has the values, or where they are so many that reading them all takes less.
  ///
  /// - Complexity: O(m log n) for m values.
  package func distinctByIndex(_ className: String, by path: BoundPath) throws -> [Int64]? {
    let layout = try layout(className)
    // An index does not tell null from what lies in an embedded object that is not there.
    guard path.hops.count == 1, let index = layout.valueIndex(path) else { return nil }
    let most = try reader.rowCount(className) / Self.rowsPerDescent
    return try ValueIndexSearch(layout.valueIndexes[index], layout, reader).firstKeys(atMost: most).map {
      $0.sorted()
    }
  }

  /// Rows of a column that are read while an index is descended once.
  private static let rowsPerDescent = 1000

  /// Gives the values at the ends of some paths of each object to a closure; null where there is none.
  ///
  /// - Complexity: O(n), a row read for each key, or one scan where the keys are all there are.
  package func forEachValue(
    _ keys: [Int64], of className: String, at paths: [BoundPath], _ body: ([Value]) -> Void
  ) throws {
    let layout = try layout(className)
    var compiler = FilterCompiler(layout, reader, schema)
    let order = try RowOrder(
      paths.map { BoundSortKey($0) }, keep: nil, ties: .position, &compiler)
    try read(keys, layout, compiler.request.columns) { batch in
      for row in batch.allRows.lazy.map(Int.init) { body(try order.valuesOrNull(batch, row)) }
    }
  }

  /// Where in a list of objects the value at a path becomes another than the object's before; nil where the
  /// values stand in no column.
  ///
  /// - Complexity: O(n), without a value of its own for each object where the column holds whole numbers or
  ///   few different texts.
  package func changes(
    _ keys: [Int64], of className: String, at path: BoundPath
  ) throws -> [Int]? {
    var starts: [Int] = []
    var index = 0
    var last: Value?
    let isColumn = try forEachColumn(keys, of: className, at: path) { column, rows in
      guard let first = rows.first, let end = rows.last else { return }
      if last != column.value(Int(first)).groupingKey { starts.append(index) }
      for place in rows.indices.dropFirst()
      where !column.isLevel(Int(rows[place - 1]), Int(rows[place])) {
        starts.append(index + place)
      }
      index += rows.count
      last = column.value(Int(end)).groupingKey
    }
    // A key without a row would have moved all that follow.
    return isColumn && index == keys.count ? starts : nil
  }

  /// The angles in radians between a place and the points at a path of some objects, in their order;
  /// nil for an object that is at no place.
  ///
  /// - Complexity: O(n), a row read for each key, or one scan where the keys are all there are.
  package func angles(
    _ keys: [Int64], of className: String, at path: BoundPath, from origin: GeoPoint
  ) throws -> [Double?] {
    let layout = try layout(className)
    var compiler = FilterCompiler(layout, reader, schema)
    let order = try RowOrder(
      [BoundSortKey(path, by: .distance(from: origin))], keep: nil, ties: .position, &compiler)
    var angles: [Double?] = []
    try read(keys, layout, compiler.request.columns) { batch in
      for row in batch.allRows {
        angles.append(try order.valuesOrNull(batch, Int(row))[0].doubleValue)
      }
    }
    return angles
  }

  /// Gives the column at the end of a path to a closure, batch by batch, with the numbers of the objects'
  /// rows in it; what lies behind a null link is null.
  ///
  /// - Returns: False where the values stand in no column; the closure is not called then.
  /// - Throws: What reading throws.
  /// - Complexity: O(n), without a value of its own for each object.
  package func forEachColumn(
    _ keys: [Int64], of className: String, at path: BoundPath,
    _ body: (borrowing ColumnVector, [Int32]) -> Void
  ) throws -> Bool {
    let layout = try layout(className)
    var compiler = FilterCompiler(layout, reader, schema)
    guard let place = try column(path, &compiler)?.place else { return false }
    try read(keys, layout, compiler.request.columns) { batch in
      body(batch.columns[place], batch.allRows)
    }
    return true
  }

  private func layout(_ className: String) throws(StoreError) -> TableLayout {
    guard let layout = reader.catalogue.layout(className) else {
      throw StoreError(.corrupt("it has no class '\(className)'"), path: reader.path)
    }
    return layout
  }

  private func read(
    _ keys: [Int64], _ layout: TableLayout, _ columns: [ColumnReference],
    _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    let batches = BatchReader(layout, columns, reader)
    let isAscending = zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
    guard try isAscending && keys.count == reader.rowCount(layout.schema.className) else {
      return try batches.forEachBatch(of: keys, body)
    }
    var batch = batches.makeBatch()
    while try batches.readNext(into: &batch) { try body(batch) }
  }
}

extension ColumnVector {
  /// Whether two rows hold values that are level.
  fileprivate func isLevel(_ first: Int, _ second: Int) -> Bool {
    if isNull[first] || isNull[second] { return isNull[first] && isNull[second] }
    if let codes { return codes.codes[first] == codes.codes[second] }
    return switch type {
    case .int, .bool, .object: integers[first] == integers[second]
    default: value(first).groupingKey == value(second).groupingKey
    }
  }
}

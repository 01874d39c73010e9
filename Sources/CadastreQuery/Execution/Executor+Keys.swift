package import CadastreGeometry
package import CadastreModel
package import CadastrePredicate
package import CadastreStore

/// Operations on objects known by key, in a given order: the elements of a list, or a previous
/// result.
extension Executor {
  /// The objects that match a predicate, in the given order.
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
      batch.appendKeys(of: try filter.matching(batch), to: &found)
    }
    return found
  }

  /// The objects in another order; ties keep their order.
  ///
  /// - Complexity: O(n log n), a row read for each key.
  package func sorted(
    _ keys: [Int64], of className: String, by order: [BoundSortKey]
  ) throws -> [Int64] {
    guard !order.isEmpty, keys.count > 1 else { return keys }
    let layout = try layout(className)
    var compiler = FilterCompiler(layout, reader, schema)
    var rows = try RowOrder(order, keep: nil, ties: .position, threads: threads, &compiler)
    try read(keys, layout, compiler.request.columns) { batch in
      try rows.add(batch, batch.allRows)
    }
    rows.finish()
    return rows.keys(rows.positions.indices)
  }

  /// The first object of each combination of values; objects behind a null link are left out.
  ///
  /// - Complexity: O(n), a row read for each key.
  package func distinct(
    _ keys: [Int64], of className: String, by paths: [BoundPath]
  ) throws -> [Int64] {
    guard !paths.isEmpty else { return keys }
    let layout = try layout(className)
    var compiler = FilterCompiler(layout, reader, schema)
    var found: [Int64] = []
    if paths.count == 1, let (slot, linkColumns) = try column(paths[0], &compiler),
      var column = DistinctColumn(of: compiler.request.columns[slot].type)
    {
      try read(keys, layout, compiler.request.columns) { batch in
        var rows = batch.allRows
        for link in linkColumns { batch.columns[link].keep(&rows, areNull: false) }
        column.take(batch, slot, rows) { found.append($0) }
      }
      return found
    }
    if let columns = try columns(paths, &compiler) {
      var table = GroupTable(columns.map { _ in nil })
      var groups: [Int32] = []
      let linkColumns = columns.flatMap(\.linkColumns)
      try read(keys, layout, compiler.request.columns) { batch in
        var rows = batch.allRows
        for link in linkColumns { batch.columns[link].keep(&rows, areNull: false) }
        let sources = columns.map { GroupTable.Source.column(batch.columns[$0.place]) }
        table.write(sources, rows, to: &groups) { found.append(batch.key($0)) }
      }
      return found
    }
    let order = try RowOrder(
      paths.map { BoundSortKey($0) }, keep: nil, ties: .position, &compiler)
    var seen: Set<[ValueKey]> = []
    try read(keys, layout, compiler.request.columns) { batch in
      for row in batch.allRows {
        guard let values = try order.values(batch, row) else { continue }
        if seen.insert(values.map(ValueKey.init)).inserted { found.append(batch.key(row)) }
      }
    }
    return found
  }

  /// The columns at the ends of some paths; nil where the values of one of them are not in a column.
  private func columns(
    _ paths: [BoundPath], _ compiler: inout FilterCompiler
  ) throws -> [(place: Int, linkColumns: [Int])]? {
    var columns: [(place: Int, linkColumns: [Int])] = []
    for path in paths {
      guard let column = try column(path, &compiler) else { return nil }
      columns.append(column)
    }
    return columns
  }

  /// The slot of the column at the end of a path, and the slots of the columns that are null where
  /// a link on the path is null; nil where the values are not in a column.
  private func column(
    _ path: BoundPath, _ compiler: inout FilterCompiler
  ) throws -> (place: Int, linkColumns: [Int])? {
    guard path.isPlain, let properties = path.properties else { return nil }
    let (leaf, linkColumns) = try compiler.request.leaf(properties)
    guard case .value(let place) = leaf else { return nil }
    return (place, linkColumns)
  }

  /// The first object of each value of an indexed property among all objects of a class, ascending;
  /// nil where no index has the values, or where a scan costs less.
  ///
  /// - Complexity: O(m log n) for m values.
  package func distinctByIndex(_ className: String, by path: BoundPath) throws -> [Int64]? {
    let layout = try layout(className)
    // An index does not distinguish null from a property of a missing embedded object.
    guard path.hops.count == 1, let index = layout.valueIndex(path) else { return nil }
    let most = try reader.rowCount(className) / Self.rowsPerDescent
    return try ValueIndexSearch(layout.valueIndexes[index], layout, reader).firstKeys(atMost: most)
      .map(RadixSort.ascending)
  }

  /// The number of rows of a column that can be read in the time of one index descent.
  private static let rowsPerDescent = 1000

  /// Calls a closure with the values at the ends of some paths of each object; null where there is
  /// none.
  ///
  /// - Complexity: O(n), a row read for each key, or one scan where the keys are those of all
  ///   objects.
  package func forEachValue(
    _ keys: [Int64], of className: String, at paths: [BoundPath], _ body: ([Value]) -> Void
  ) throws {
    let layout = try layout(className)
    var compiler = FilterCompiler(layout, reader, schema)
    let order = try RowOrder(
      paths.map { BoundSortKey($0) }, keep: nil, ties: .position, &compiler)
    try read(keys, layout, compiler.request.columns) { batch in
      for row in batch.allRows { body(try order.valuesOrNull(batch, row)) }
    }
  }

  /// The indexes in a list of objects at which the value at a path differs from that of the object
  /// before; nil where the values are not in a column.
  ///
  /// - Complexity: O(n), without boxing a value for each object where the column holds whole
  ///   numbers or few different texts.
  package func changes(
    _ keys: [Int64], of className: String, at path: BoundPath
  ) throws -> [Int]? {
    var starts: [Int] = []
    var index = 0
    var last: ValueKey?
    let areColumns = try forEachBatch(keys, of: className, at: [path]) { _, columns, rows in
      let column = columns[0]
      var previous: Int?
      for row in rows {
        let isSame =
          previous.map { column.isLevel($0, row) } ?? (last == ValueKey(column.value(row)))
        if !isSame { starts.append(index) }
        previous = row
        index += 1
      }
      last = previous.map { ValueKey(column.value($0)) } ?? last
    }
    // A key without a row would shift all indexes after it.
    return areColumns && index == keys.count ? starts : nil
  }

  /// The angles in radians between a point and the points at a path of some objects, in their
  /// order; nil for an object without a point.
  ///
  /// - Complexity: O(n), a row read for each key, or one scan where the keys are those of all
  ///   objects.
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
        angles.append(try order.valuesOrNull(batch, row)[0].doubleValue)
      }
    }
    return angles
  }

  /// Calls a closure with the columns at the ends of some paths, batch by batch, in the order of the keys.
  ///
  /// The value behind a null link is null. The column of an embedded object is null where there is
  /// none.
  ///
  /// - Returns: False where some values are neither in a column nor coordinates; the closure is not called then.
  /// - Throws: The error of a read or of the closure.
  /// - Complexity: O(n), without boxing a value for each object.
  package func forEachBatch(
    _ keys: [Int64], of className: String, at paths: [BoundPath],
    _ body: (borrowing ColumnBatch, [BatchColumn], RowSet) throws -> Void
  ) throws -> Bool {
    let layout = try layout(className)
    var request = ColumnRequest(layout, reader.catalogue)
    var sources: [(slot: Int, coordinate: PointCoordinate?)] = []
    for path in paths {
      if let slot = try request.valueSlot(path) {
        sources.append((slot, nil))
      } else if let coordinate = try request.coordinate(path)?.coordinate {
        sources.append((coordinate.slot, coordinate))
      } else {
        return false
      }
    }
    try read(keys, layout, request.columns) { batch in
      let rows = batch.allRows
      var columns: [BatchColumn] = []
      for (slot, coordinate) in sources {
        columns.append(coordinate?.column(batch, rows) ?? batch.columns[slot])
      }
      try body(batch, columns, rows)
    }
    return true
  }

  /// Calls a closure with columns of the table of a class, batch by batch, in the order of the keys; keys without a row
  /// are skipped.
  ///
  /// - Throws: The error of a read or of the closure.
  /// - Complexity: O(n), without boxing a value for each object.
  package func forEachBatch(
    _ keys: [Int64], of className: String, columns: [Int],
    _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    let layout = try layout(className)
    let references = columns.map {
      ColumnReference(hops: [], column: $0, type: layout.columns[$0].type)
    }
    try read(keys, layout, references, body)
  }

  /// Returns whether the values at the ends of some paths of objects of a class are in columns.
  package func areColumns(_ paths: [BoundPath], of className: String) throws -> Bool {
    var request = ColumnRequest(try layout(className), reader.catalogue)
    return try paths.allSatisfy { try request.valueSlot($0) != nil }
  }

  /// The number of keys up to which rows are read one by one, also where they are all rows.
  private static let fewKeys = 8

  func layout(_ className: String) throws(StoreError) -> TableLayout {
    guard let layout = reader.catalogue.layout(className) else {
      throw StoreError(.corrupt("it has no class '\(className)'"), path: reader.path)
    }
    return layout
  }

  /// Calls a closure with the rows of some keys, or of all objects, batch by batch.
  func read(
    _ keys: [Int64]?, _ layout: TableLayout, _ columns: [ColumnReference],
    _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    let batches = BatchReader(layout, columns, reader)
    if let keys {
      // Counting the rows may take longer than reading a few of them.
      let isEverything =
        try keys.count > Self.fewKeys && keys.count == reader.rowCount(layout.schema.className)
        && KeySort.isAscending(keys)
      guard isEverything else {
        return try RowsByKey(batches, of: reader, threads).forEachBatch(of: keys, body)
      }
    }
    var batch = batches.makeBatch()
    while try batches.readNext(into: &batch) { try body(batch) }
  }
}

extension BatchColumn {
  /// Whether the values of two rows are equal in the total order.
  fileprivate func isLevel(_ first: Int, _ second: Int) -> Bool {
    if isNull(first) || isNull(second) { return isNull(first) && isNull(second) }
    if let dictionary { return dictionary.code(first) == dictionary.code(second) }
    return switch type {
    case .int, .bool, .object: integer(first) == integer(second)
    default: value(first).isSame(as: value(second))
    }
  }
}

import CadastreEngine
import CadastreModel
import CadastreStore

extension RealmCollection where Element: KeypathSortable {
  /// The values of a property of all objects, in their order.
  ///
  ///     let names = realm.objects(Airport.self).where { $0.country == "FR" }.values(of: \.name)
  ///
  /// The same as `map(\.name)`, without making the objects: values are taken from the columns in
  /// memory where they are there, and read column by column where not.
  ///
  /// - Parameter keyPath: A property that holds a single value.
  /// - Returns: A value for each object.
  /// - Complexity: O(n).
  public func values<Value: RealmCollectionValue>(of keyPath: KeyPath<Element, Value>) -> [Value] {
    guard realm != nil, Value.propertyShape.type.isRead else {
      return map { $0[keyPath: keyPath] }
    }
    let path = PropertyPath(Element.propertyName(of: keyPath))
    return queryResult.columnValues(path) ?? map { $0[keyPath: keyPath] }
  }
}

extension PropertyType {
  /// Whether the value says everything, and no object has to be made of it.
  fileprivate var isRead: Bool { self != .object && self != .any && self != .linkingObjects }
}

extension QueryResult {
  /// The values at a path; nil where they stand in no column, or do not fit.
  ///
  /// Keys that are in another order than that of the rows are read in that of the rows, each
  /// segment once.
  fileprivate func columnValues<Result: RealmCollectionValue>(_ path: PropertyPath) -> [Result]? {
    var column = ColumnValues<Result>(query: self)
    if passColumn(at: path, keepsResult: true, { column.append($0, $1) }) {
      return column.results.count == count ? column.results : nil
    }
    let keys = keys
    guard let order = KeyOrder(of: keys) else { return columnValues(path, of: keys) }
    guard let values: [Result] = columnValues(path, of: order.keys) else { return nil }
    return order.restored(values)
  }

  private func columnValues<Result: RealmCollectionValue>(
    _ path: PropertyPath, of keys: [Int64]
  ) -> [Result]? {
    var column = ColumnValues<Result>(query: self)
    column.results.reserveCapacity(keys.count)
    let isColumn = forEachColumn(at: path, of: keys) { column.append($0, $1) }
    return isColumn && column.results.count == keys.count ? column.results : nil
  }
}

/// Values that are made of the values of a column.
private struct ColumnValues<Result: RealmCollectionValue> {
  let query: QueryResult
  var results: [Result] = []

  /// Appends the values of some rows; those that do not fit are left out.
  @_specialize(where Result == Int)
  @_specialize(where Result == Double)
  @_specialize(where Result == String)
  mutating func append(_ column: BatchColumn, _ rows: RowSet) {
    if Result.self == Int.self, column.type == .int {
      // Most ids are of this type, and no value is made of each.
      var rows = rows
      column.keep(&rows, areNull: false)
      // Safe because: the two are one type.
      var numbers = unsafeBitCast(results, to: [Int].self)
      results = []
      column.appendIntegers(of: rows, to: &numbers)
      return results = unsafeBitCast(numbers, to: [Result].self)
    }
    for row in rows {
      if let result: Result = query.made(column.value(row)) { results.append(result) }
    }
  }
}

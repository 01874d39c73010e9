import CadastreModel
import CadastreStore

extension RealmCollection where Element: KeypathSortable {
  /// The values of a property of all objects, in their order.
  ///
  ///     let names = realm.objects(Airport.self).where { $0.country == "FR" }.values(of: \.name)
  ///
  /// The same as `map(\.name)`, without making the objects: values are taken from the columns in memory
  /// where they are there, and read column by column where not.
  ///
  /// - Parameter keyPath: A property that holds a single value.
  /// - Returns: A value for each object.
  /// - Complexity: O(n).
  public func values<Value: RealmCollectionValue>(of keyPath: KeyPath<Element, Value>) -> [Value] {
    guard realm != nil, Value.propertyShape.type.isRead else {
      return map { $0[keyPath: keyPath] }
    }
    let path = PropertyPath(Element.propertyName(of: keyPath))
    return answer.columnValues(path) ?? map { $0[keyPath: keyPath] }
  }
}

extension PropertyType {
  /// Whether the value says everything, and no object has to be made of it.
  fileprivate var isRead: Bool { self != .object && self != .any && self != .linkingObjects }
}

extension Answer {
  /// The values at a path; nil where they stand in no column, or do not fit.
  fileprivate func columnValues<Result: RealmCollectionValue>(_ path: PropertyPath) -> [Result]? {
    if Result.self == Int.self {
      // Safe because: the two are one type. Most ids are of it, and no value is made of each.
      return integers(path).map { unsafeBitCast($0, to: [Result].self) }
    }
    var results: [Result] = []
    var count = 0
    let isColumn = forEachColumn(at: path) { column, rows in
      count += rows.count
      for row in rows {
        if let result: Result = made(column.value(Int(row))) { results.append(result) }
      }
    }
    return isColumn && results.count == count ? results : nil
  }

  private func integers(_ path: PropertyPath) -> [Int]? {
    var results: [Int] = []
    var count = 0
    let isColumn = forEachColumn(at: path) { column, rows in
      count += rows.count
      guard column.type == .int else { return }
      results.reserveCapacity(results.count + rows.count)
      for row in rows where !column.isNull[Int(row)] {
        results.append(Int(column.integers[Int(row)]))
      }
    }
    return isColumn && results.count == count ? results : nil
  }
}

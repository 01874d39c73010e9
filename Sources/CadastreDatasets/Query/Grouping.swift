import CadastreEngine
import CadastreModel
import CadastrePredicate
import CadastreStore

/// The fields by which the result of a query is grouped.
struct Grouping {
  /// The fields.
  let columns: [GroupColumn]
  private let query: StoreQuery

  /// Parses a list of fields.
  ///
  /// - Parameters:
  ///   - text: The fields, separated by commas; nil for none.
  ///   - query: The query whose result is grouped.
  ///   - option: The option that has the text, for messages.
  /// - Throws: ``QueryPredicateError`` for invalid syntax, unknown fields or unsuitable types.
  init(_ text: String?, of query: StoreQuery, for option: String) throws(QueryPredicateError) {
    self.query = query
    var columns: [GroupColumn] = []
    for part in text.map(ListText.parts) ?? [] {
      let column = try GroupColumn(String(part.trimmingBlanks()), query, for: option)
      guard !columns.contains(where: { $0.name == column.name }) else {
        throw QueryPredicateError(
          .invalidQuery, "\(option): '\(column.name)' occurs twice; expected it once")
      }
      columns.append(column)
    }
    self.columns = columns
  }

  /// Calls a closure with the group of each object, and its values at paths.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects.
  ///   - paths: The paths.
  ///   - body: The closure; a group has a value for each of the ``columns``. Groups are one if the keys of
  ///     their values are equal, see `ValueKey`; the values of the first object stand for the group.
  /// - Throws: `StoreError` if reading fails.
  /// - Complexity: O(n) in the number of keys; only the columns in use are read.
  func forEachGroup(
    _ keys: [Int64], at paths: [PropertyPath], _ body: ([Value], ArraySlice<Value>) -> Void
  ) throws {
    let className = query.bound.className
    let cells = try columns.map { column in
      try column.grid.map { try query.session.cells(keys, of: className, at: column.path, in: $0) }
    }
    let valued = columns.filter { $0.grid == nil }
    var index = -1
    try query.session.forEachValue(
      keys, of: className, at: valued.map(\.path) + paths
    ) { values in
      index += 1
      var next = 0
      let group = zip(columns, cells).map { column, cells in
        if let cells { return cells[index].map { Value.int($0) } ?? Value.null }
        next += 1
        return column.group(of: values[next - 1])
      }
      body(group, values[valued.count...])
    }
  }
}

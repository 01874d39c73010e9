import CadastreFormatting
import CadastreModel
package import CadastrePredicate
import CadastreStore

/// The output of objects as Parquet files, one for each combination of values of some fields.
///
/// The values are in the names of the folders, `country=FR/part-0.parquet`, and fields are not repeated
/// in the files.
package struct PartitionedOutput {
  /// The number of objects and files that were written.
  package struct Count: Hashable, Sendable {
    /// The number of objects.
    package var objects = 0
    /// The number of files.
    package var files = 0
    /// Sentences about values that the files do not contain exactly.
    package var notices: [String] = []
  }

  /// The maximum number of files.
  private static let maximumFiles = 10_000
  private static let option = "--partition-by"
  private static let types: Set<PropertyType> = [.string, .int, .bool, .date, .UUID, .objectId]

  private let query: StoreQuery
  private let grouping: Grouping
  private let output: ColumnarOutput

  /// Creates the output of the result of a query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - fields: Fields, parts of dates and cells, separated by commas: `country, tile(location, 4)`.
  ///   - select: The columns of the files; nil for all.
  /// - Throws: ``QueryPredicateError`` for an unknown or unsuitable field.
  package init(
    _ query: StoreQuery, by fields: String, select: String?
  ) throws(QueryPredicateError) {
    self.query = query.withKeysOfLinks()
    grouping = try Grouping(fields, of: query, for: Self.option)
    for column in grouping.columns where column.isField || column.isCalculation {
      guard column.isField, column.path.names.count == 1, Self.types.contains(column.type) else {
        throw QueryPredicateError(
          .invalidQuery,
          "\(Self.option): '\(column.name)' is of type '\(column.type)'; expected a property with texts, "
            + "integers, dates or the like, a part of a date such as 'year(date)', or a cell such as "
            + "'tile(location, 4)'")
      }
    }
    for column in try select.map({ (names) throws(QueryPredicateError) in try query.columns(names) }
    ) ?? []
    where column.alias != nil && grouping.columns.contains(where: { $0.plainName == column.name }) {
      throw QueryPredicateError(
        .invalidQuery,
        "\(Self.option): '\(printable(column.name))' is the name of a part of the path; give the column another name"
      )
    }
    output = try query.columnarOutput(
      select, without: Set(grouping.columns.filter(\.isField).map(\.path)))
    guard !output.isEmpty else {
      throw QueryPredicateError(
        .invalidQuery, "\(Self.option): no other field is left to write; expected at least one")
    }
  }

  /// Writes the objects of keys.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects, in the order of the rows.
  ///   - groupRows: The number of rows in a row group.
  ///   - folder: The folder, which the caller finishes.
  /// - Returns: The number of objects and files.
  /// - Throws: `StoreError`, ``OutputError``, or ``QueryPredicateError`` for more than 10,000 files.
  /// - Complexity: O(n) in the number of keys; the rows of one group are in memory.
  package func write(_ keys: [Int64], groupRows: Int, to folder: OutputFolder) throws -> Count {
    let output = try output.withDateForms(of: query)
    var count = Count()
    var report = ColumnarOutput.Report()
    for (name, keys) in try parts(keys) {
      count.files += 1
      let written = try folder.write("\(name)/part-0.parquet") { file in
        try output.write(query, keys, groupRows: groupRows) { try file.write($0) }
      }
      report.add(written)
    }
    count.objects = report.objects
    count.notices = report.notices
    return count
  }

  /// Returns the keys of each file, with the path of its folder.
  private func parts(_ keys: [Int64]) throws -> [(name: String, keys: [Int64])] {
    var list = GroupList()
    try grouping.group(keys, at: [], into: &list)
    var parts = list.groups.map { (name: name($0), keys: [Int64]()) }
    for (key, group) in zip(keys, list.numbers) { parts[Int(group)].keys.append(key) }
    guard parts.count <= Self.maximumFiles else {
      throw QueryPredicateError(
        .invalidQuery,
        "\(Self.option): \(parts.count) files would be written; expected at most \(Self.maximumFiles), such as "
          + "by a field with fewer values")
    }
    return parts
  }

  private func name(_ group: [Value]) -> String {
    zip(grouping.columns, group).map { column, value in
      PartitionName.text(
        column.plainName, value.isNull ? nil : FieldText.exact(column.printed(value)))
    }.joined(separator: "/")
  }
}

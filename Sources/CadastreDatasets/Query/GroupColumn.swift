import CadastreFormatting
import CadastreModel
import CadastrePredicate

/// A field to group by, in the syntax of the command line: `country` or `day(date)`.
struct GroupColumn {
  /// The parts of dates to group by.
  enum Bucket: String, CaseIterable {
    case year, month, day, hour

    /// The number of characters of the part at the start of a date in ISO 8601.
    fileprivate var length: Int {
      switch self {
      case .year: 4
      case .month: 7
      case .day: 10
      case .hour: 13
      }
    }
  }

  /// The field.
  let path: PropertyPath
  /// The type of the groups.
  let type: PropertyType
  private let bucket: Bucket?

  /// The name of the column: the field or the part of it.
  var name: String { bucket.map { "\($0)(\(path))" } ?? path.description }

  /// Parses a list of fields.
  ///
  /// - Parameters:
  ///   - text: The fields, separated by commas; nil for none.
  ///   - query: The query whose result is grouped.
  /// - Returns: The fields in their order.
  /// - Throws: ``QueryPredicateError`` for invalid syntax, unknown fields or unsuitable types.
  static func list(
    _ text: String?, _ query: StoreQuery
  ) throws(QueryPredicateError) -> [GroupColumn] {
    var columns: [GroupColumn] = []
    for part in text.map(ListText.parts) ?? [] {
      let column = try GroupColumn(String(part.trimmingBlanks()), query)
      guard !columns.contains(where: { $0.name == column.name }) else {
        throw QueryPredicateError(
          .invalidQuery, "--by: '\(column.name)' occurs twice; expected it once")
      }
      columns.append(column)
    }
    return columns
  }

  private init(_ text: String, _ query: StoreQuery) throws(QueryPredicateError) {
    guard let match = text.wholeMatch(of: /(\w+)\s*\(\s*(.*?)\s*\)/) else {
      path = PropertyPath(text)
      type = try query.valueType(at: path, for: "--by")
      bucket = nil
      return
    }
    guard let bucket = Bucket(rawValue: match.1.lowercased()) else {
      throw QueryPredicateError(
        .invalidQuery,
        "--by: expected a field, or year, month, day or hour of a date such as 'day(date)', found "
          + "'\(printable(text))'")
    }
    path = PropertyPath(String(match.2))
    let type = try query.valueType(at: path, for: "--by")
    guard type == .date else {
      throw QueryPredicateError(
        .invalidQuery, "--by: '\(bucket)' expects a date, and '\(path)' is of type '\(type)'")
    }
    self.type = .string
    self.bucket = bucket
  }

  /// Returns the group of a value: the value itself, or the part of the date as text in UTC.
  func group(of value: Value) -> Value {
    guard let bucket, case .date(let date) = value else { return value.groupingKey }
    let text = date.description
    // Years have a sign before the year 0, and may have more than four digits.
    let sign = text.hasPrefix("-") ? 1 : 0
    let digits = text.dropFirst(sign).prefix { $0 != "-" }.count
    return .string(String(text.prefix(bucket.length + sign + digits - 4)))
  }
}

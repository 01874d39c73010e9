import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

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
  /// The grid of the cells to group by; nil for values.
  let grid: GeoGrid?
  /// The name of the column: the field, the part of it, or the cell.
  let name: String

  init(_ text: String, _ query: StoreQuery, for option: String) throws(QueryPredicateError) {
    guard let match = text.wholeMatch(of: /(\w+)\s*\(\s*(.*?)\s*\)/) else {
      path = PropertyPath(text)
      type = try query.valueType(at: path, for: option)
      (bucket, grid, name) = (nil, nil, path.description)
      return
    }
    if let cell = try Self.cell(String(match.1.lowercased()), match.2, for: option) {
      (path, grid, bucket, type) = (cell.path, cell.grid, nil, .string)
      name = "\(match.1.lowercased())(\(cell.path), \(cell.grid.level))"
      _ = try query.schema.geometries(at: path, from: query.className)
      return
    }
    guard let bucket = Bucket(rawValue: match.1.lowercased()) else {
      throw QueryPredicateError(
        .invalidQuery,
        "\(option): expected a field, year, month, day or hour of a date such as 'day(date)', or a cell such "
          + "as 'tile(location, 6)' or 'geohash(location, 5)', found '\(printable(text))'")
    }
    path = PropertyPath(String(match.2))
    let type = try query.valueType(at: path, for: option)
    guard type == .date else {
      throw QueryPredicateError(
        .invalidQuery, "\(option): '\(bucket)' expects a date, and '\(path)' is of type '\(type)'")
    }
    self.type = .string
    self.bucket = bucket
    grid = nil
    name = "\(bucket)(\(path))"
  }

  /// Parses the arguments of a cell: a field and a level; nil for other functions.
  private static func cell(
    _ function: String, _ arguments: Substring, for option: String
  ) throws(QueryPredicateError) -> (path: PropertyPath, grid: GeoGrid)? {
    let levels: ClosedRange<Int>
    switch function {
    case "tile": levels = 0...30
    case "geohash": levels = 1...12
    default: return nil
    }
    let parts = ListText.parts(String(arguments)).map { $0.trimmingBlanks() }
    guard parts.count == 2, let level = Int(parts[1]), levels.contains(level) else {
      throw QueryPredicateError(
        .invalidQuery,
        "\(option): '\(function)' expects a point or a geometry and a level from \(levels.lowerBound) to "
          + "\(levels.upperBound), such as '\(function)(location, 5)'")
    }
    return (
      PropertyPath(String(parts[0])),
      function == "tile" ? .tile(zoom: level) : .geohash(length: level)
    )
  }

  /// Whether the groups are the values of the field itself.
  var isField: Bool { bucket == nil && grid == nil }

  /// The name without brackets: `day_date` for `day(date)`.
  var plainName: String {
    isField ? name : "\(name.prefix { $0 != "(" })_\(path)"
  }

  /// Returns the group as it is printed: a cell by its name.
  func printed(_ group: Value) -> Value {
    guard let grid, case .int(let code) = group else { return group }
    return .string(GridCell(code: code, in: grid).description)
  }

  /// Returns the group of a value: the value itself, or the part of the date as text in UTC.
  func group(of value: Value) -> Value {
    guard let bucket, case .date(let date) = value else { return value }
    let text = date.description
    // Years have a sign before the year 0, and may have more than four digits.
    let sign = text.hasPrefix("-") ? 1 : 0
    let digits = text.dropFirst(sign).prefix { $0 != "-" }.count
    return .string(String(text.prefix(bucket.length + sign + digits - 4)))
  }
}

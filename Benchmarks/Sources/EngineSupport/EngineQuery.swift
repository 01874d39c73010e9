/// The constants of a query; each query has only those that it needs.
public struct EngineQuery: Decodable, Sendable {
  /// The kind of result, which defines hits and sum.
  public let result: ResultKind
  /// Longitude and latitude in degrees.
  public let center: [Double]?
  /// The radius of a circle, on a sphere of 6,378,100 m.
  public let meters: Double?
  /// West, south, east and north in degrees.
  public let box: [Double]?
  /// Longitudes and latitudes in degrees; the last corner equals the first.
  public let ring: [[Double]]?
  /// Longitude and latitude in degrees.
  public let point: [Double]?
  public let category: String?
  public let populationAbove: Int?
  public let populationFrom: Int?
  public let populationTo: Int?
  public let ratingAbove: Double?
  public let name: String?
  public let prefix: String?
  public let contains: String?
  public let limit: Int?
  public let keys: [Int]?
}

/// The kinds of results, which define hits and sum.
public enum ResultKind: String, Decodable, Sendable {
  case ids
  case orderedIDs = "ordered ids"
  case count, number, values, total
}

/// The result of a query.
public enum EngineResult {
  /// The primary keys of the matching places.
  case ids([Int])
  case count(Int)
  case number(Double)
  case values([String])
  /// The number of objects read, and the sum of the values read.
  case total(objects: Int, sum: Int)

  /// Returns hits and sum for a kind of result.
  func summed(_ kind: ResultKind) -> (hits: Int, sum: String) {
    switch self {
    case .ids(let ids):
      let isOrdered = kind == .orderedIDs
      let sum = ids.enumerated().reduce(UInt64(0)) { sum, entry in
        sum &+ UInt64(entry.element) &* (isOrdered ? UInt64(entry.offset) + 1 : 1)
      }
      return (ids.count, "\(sum)")
    case .count(let count): return (count, "\(count)")
    case .number(let number): return (1, "\(number)")
    case .values(let values):
      return (values.count, "\(values.reduce(0) { $1.utf8.reduce($0) { $0 + Int($1) } })")
    case .total(let objects, let sum): return (objects, "\(sum)")
    }
  }
}

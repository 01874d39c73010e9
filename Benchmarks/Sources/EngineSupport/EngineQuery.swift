/// A question's constants; which of them there are depends on the question.
public struct EngineQuestion: Decodable, Sendable {
  /// What hits and sum are made of.
  public let answer: AnswerKind
  /// Longitude and latitude in degrees.
  public let center: [Double]?
  /// The radius of a circle, on a sphere of 6,378,100 m.
  public let meters: Double?
  /// West, south, east and north in degrees.
  public let box: [Double]?
  /// Longitudes and latitudes in degrees; the last corner is the first.
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

/// What hits and sum of a question are made of.
public enum AnswerKind: String, Decodable, Sendable {
  case ids
  case orderedIDs = "ordered ids"
  case count, number, values, total
}

/// What an engine found.
public enum Found {
  /// The primary keys of what matches.
  case ids([Int])
  case count(Int)
  case number(Double)
  case values([String])
  /// A number of objects that were read, and the sum of what was read.
  case total(objects: Int, sum: Int)

  /// Hits and sum, as the question wants them.
  func summed(_ kind: AnswerKind) -> (hits: Int, sum: String) {
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

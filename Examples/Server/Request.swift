/// A request, as a line of text.
enum Request {
  /// `record ID LEVEL LONGITUDE LATITUDE`: stores the level of a station.
  case record(Reading)
  /// `level ID`: the level of a station.
  case level(Int)
  /// `count PREDICATE`: the number of stations that match.
  case count(String)

  /// The level of a station at a place.
  struct Reading: Sendable {
    var id: Int
    var level: Double
    var coordinates: [Double]
  }

  struct SyntaxError: Error, CustomStringConvertible {
    var description: String {
      "use record ID LEVEL LONGITUDE LATITUDE, level ID or count PREDICATE"
    }
  }

  /// Parses a line.
  init(_ line: String) throws {
    let words = line.split(separator: " ", maxSplits: 1)
    guard words.count == 2 else { throw SyntaxError() }
    let numbers = words[1].split(separator: " ").map { Double($0) ?? .nan }
    switch words[0] {
    case "record" where numbers.count == 4 && numbers.allSatisfy(\.isFinite):
      guard let id = Int(exactly: numbers[0]) else { throw SyntaxError() }
      self = .record(
        Reading(id: id, level: numbers[1], coordinates: Array(numbers[2...])))
    case "level":
      guard let id = Int(words[1]) else { throw SyntaxError() }
      self = .level(id)
    case "count": self = .count(String(words[1]))
    default: throw SyntaxError()
    }
  }
}

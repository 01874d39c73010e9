import CadastreDatasets

/// The parameters of a request; unknown names are errors.
struct Parameters {
  private var values: [String: String] = [:]

  /// Checks the names of the parameters.
  ///
  /// - Throws: ``RequestError`` for a parameter that is not allowed, or that occurs twice.
  init(_ request: ServerRequest, allowing allowed: some Collection<String>) throws(RequestError) {
    for (name, value) in request.parameters {
      guard allowed.contains(name) else {
        throw .parameter(
          "there is no parameter '\(name)' here; expected "
            + allowed.sorted().map { "'\($0)'" }.joined(separator: ", "))
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw .parameter("the parameter '\(name)' occurs twice; expected it once")
      }
    }
  }

  /// The value of a parameter; nil where it is missing or empty.
  subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// The value of a parameter that must be there.
  func required(_ name: String) throws(RequestError) -> String {
    guard let value = self[name] else { throw .parameter("the parameter '\(name)' is missing") }
    return value
  }

  /// An integer in a range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(RequestError) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .parameter(
        "'\(name)': expected an integer from \(range.lowerBound) to \(range.upperBound), "
          + "found '\(text)'")
    }
    return number
  }

  /// One of some words.
  func word(_ name: String, of words: [String]) throws(RequestError) -> String? {
    guard let text = self[name] else { return nil }
    guard words.contains(text) else {
      throw .parameter(
        "'\(name)': expected \(words.map { "'\($0)'" }.joined(separator: " or ")), found '\(text)'")
    }
    return text
  }

  /// A bounding box in degrees: west, south, east and north, with two heights that are ignored.
  func box(_ name: String) throws(RequestError) -> BoundingBox? {
    guard let text = self[name] else { return nil }
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    let sides = numbers.count == 6 ? [0, 1, 3, 4].map { numbers[$0] } : numbers
    guard sides.count == 4, let west = sides[0], let south = sides[1], let east = sides[2],
      let north = sides[3], [west, south, east, north].allSatisfy(\.isFinite),
      (-180...180).contains(west), (-180...180).contains(east), (-90...90).contains(south),
      (-90...90).contains(north), let box = BoundingBox(west, south, east, north)
    else {
      throw .parameter(
        "'\(name)': expected west,south,east,north in degrees, such as -10,40,10,60, found '\(text)'"
      )
    }
    return box
  }
}

import CadastreDatasets
import CadastreSQLite
import Foundation

/// A request, independent of the HTTP library.
struct ServerRequest: Sendable {
  /// The method, such as `GET`.
  var method = "GET"
  /// The segments of the path, without percent encoding.
  var path: [String]
  /// The parameters of the query, without percent encoding, in their order.
  var parameters: [(name: String, value: String)] = []
  /// The header fields by their names in lower case.
  var headers: [String: String] = [:]
  /// Reads the body, which is an error where it has more bytes than a limit.
  var body: @Sendable (_ limit: Int) async throws -> [UInt8] = { _ in [] }
  /// What ends the queries of the request.
  let cancellation = QueryCancellation()

  /// The address of the server as the client knows it, without a slash at the end.
  var origin: String { "http://\(headers["host"] ?? "localhost")" }

  /// Whether the response is a page: the parameter `f` says so, or without it the client prefers one.
  func wantsPage(_ format: String?) -> Bool { format == "html" || format == nil && prefersPage }

  /// Whether the client prefers a page to data.
  private var prefersPage: Bool {
    let accept = headers["accept"] ?? ""
    guard let page = accept.range(of: "text/html") else { return false }
    return accept.range(of: "json").map { page.lowerBound < $0.lowerBound } ?? true
  }

  // MARK: Header fields

  /// Fields that a request has once at most: a proxy could read one value, and this server the other.
  private static let singleFields: Set = [
    "authorization", "content-length", "content-type", "host", "origin",
  ]

  /// Takes the header fields; the values of other repeated fields are joined.
  ///
  /// - Parameter fields: The names in any case, and the values, in their order.
  /// - Throws: ``RequestError`` 400 for a repeated field, and where `Host` is missing (RFC 9112, section 3.2).
  mutating func setHeaders(
    _ fields: some Sequence<(name: String, value: String)>
  ) throws(RequestError) {
    headers = [:]
    for field in fields {
      let name = field.name.lowercased()
      guard let earlier = headers[name] else {
        headers[name] = field.value
        continue
      }
      guard !Self.singleFields.contains(name) else {
        throw RequestError(400, "header", "expected the header '\(name)' once, and found it again")
      }
      headers[name] = earlier + (name == "cookie" ? "; " : ", ") + field.value
    }
    guard headers["host"] != nil else {
      throw RequestError(400, "header", "expected the header 'host', and found none")
    }
  }

  /// Returns the host and the port of a request target in absolute form; nil for other forms.
  ///
  /// They have precedence over the field `Host` (RFC 9112, section 3.2.2).
  static func authority(ofTarget target: String) -> String? {
    guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return nil }
    return String(target[scheme.upperBound...].prefix { !"/?#".contains($0) })
  }
}

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

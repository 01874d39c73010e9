import CadastreDatasets
import CadastreSQLite
import Foundation

/// A request, without types of the HTTP library.
struct ServerRequest: Sendable {
  /// The method, such as `GET`.
  var method = "GET"
  /// The percent-decoded segments of the path.
  var path: [String]
  /// The percent-decoded parameters of the query, in order.
  var parameters: [(name: String, value: String)] = []
  /// The header fields by their names in lower case.
  var headers: [String: String] = [:]
  /// The function that reads the body; a body with more bytes than a limit is an error.
  var body: @Sendable (_ limit: Int) async throws -> [UInt8] = { _ in [] }
  /// The cancellation of the queries of the request.
  let cancellation = QueryCancellation()

  /// The origin of the server from the point of view of the client, without a trailing slash.
  var origin: String { "http://\(headers["host"] ?? "localhost")" }

  /// Returns whether the response is an HTML page, by the parameter `f` or else by the header `Accept`.
  func wantsPage(_ format: String?) -> Bool { format == "html" || format == nil && prefersPage }

  /// Whether the header `Accept` has HTML before JSON.
  private var prefersPage: Bool {
    let accept = headers["accept"] ?? ""
    guard let page = accept.range(of: "text/html") else { return false }
    return accept.range(of: "json").map { page.lowerBound < $0.lowerBound } ?? true
  }

  // MARK: Header fields

  /// The fields that must not repeat, because a proxy could use one value and this server the other.
  private static let singleFields: Set = [
    "authorization", "content-length", "content-type", "host", "origin",
  ]

  /// Sets the header fields; values of repeated fields are joined, except for ``singleFields``.
  ///
  /// - Parameter fields: The names in any case, and the values, in order.
  /// - Throws: ``RequestError`` 400 for a repeated field, and for a missing `Host` (RFC 9112, section 3.2).
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
  /// The absolute form has precedence over the field `Host` (RFC 9112, section 3.2.2).
  static func authority(ofTarget target: String) -> String? {
    guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return nil }
    return String(target[scheme.upperBound...].prefix { !"/?#".contains($0) })
  }
}

/// The parsed parameters of a request.
struct Parameters {
  private var values: [String: String] = [:]

  /// Reads the parameters.
  ///
  /// - Throws: ``RequestError`` for an unknown or repeated parameter.
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

  /// Returns the value of a parameter; nil for a missing or empty one.
  subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// Returns the value of a required parameter.
  func required(_ name: String) throws(RequestError) -> String {
    guard let value = self[name] else { throw .parameter("the parameter '\(name)' is missing") }
    return value
  }

  /// Returns an integer in a range; nil for a missing parameter.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(RequestError) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .parameter(
        "'\(name)': expected an integer from \(range.lowerBound) to \(range.upperBound), "
          + "found '\(text)'")
    }
    return number
  }

  /// Returns one of several words; nil for a missing parameter.
  func word(_ name: String, of words: [String]) throws(RequestError) -> String? {
    guard let text = self[name] else { return nil }
    guard words.contains(text) else {
      throw .parameter(
        "'\(name)': expected \(words.map { "'\($0)'" }.joined(separator: " or ")), found '\(text)'")
    }
    return text
  }

  /// Returns a bounding box in degrees: west, south, east and north; two heights are ignored.
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

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
}

/// A response, independent of the HTTP library.
struct ServerReply: Sendable {
  var status = 200
  var contentType = "application/json"
  var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []
  /// The body of a long response, instead of `body`.
  var pieces: PreparedPieces?

  /// The header fields that every response has: a browser does not guess the type of the content, and runs nothing in it.
  ///
  /// Only pages have the style. The files of the explorer's page have a policy of their own.
  static let protection: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'"
    ), ("X-Content-Type-Options", "nosniff"),
  ]

  /// The header fields of the response, with those that every response has.
  var allHeaders: [(name: String, value: String)] {
    let names = Set(headers.map { $0.name })
    return headers + Self.protection.filter { !names.contains($0.name) }
  }

  init(_ body: [UInt8], _ contentType: String = "application/json", status: Int = 200) {
    self.body = body
    self.contentType = contentType
    self.status = status
  }

  init(_ body: String, _ contentType: String = "application/json", status: Int = 200) {
    self.init(Array(body.utf8), contentType, status: status)
  }
}

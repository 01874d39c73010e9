/// A response, without types of the HTTP library.
struct ServerReply: Sendable {
  var status = 200
  var contentType = "application/json"
  var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []
  /// The streamed body, which replaces `body`; nil for a body in memory.
  var pieces: PreparedPieces?

  /// The security header fields of every response: no content sniffing, no scripts.
  ///
  /// Files of the explorer's page replace the policy.
  static let protection: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'"
    ), ("X-Content-Type-Options", "nosniff"),
  ]

  /// The header fields of the response and ``protection``.
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

/// A streamed body; the client's reading determines when the next piece is computed.
protocol BodyPieces: Sendable {
  /// Returns the next piece; nil at the end.
  func next() async throws -> [UInt8]?
}

extension BodyPieces {
  /// Computes the first piece, so that an error in it becomes an error response.
  func prepared() async throws -> PreparedPieces {
    PreparedPieces(first: try await next(), rest: self)
  }
}

/// A streamed body whose first piece was computed.
struct PreparedPieces: Sendable {
  let first: [UInt8]?
  let rest: any BodyPieces

  /// Calls a closure with each piece.
  func forEach(_ body: ([UInt8]) async throws -> Void) async throws {
    guard let first else { return }
    try await body(first)
    while let piece = try await rest.next() { try await body(piece) }
  }
}

/// The entity tag of a response, for conditional requests.
///
/// Source: RFC 9110, section 8.8.3.
struct EntityTag {
  private let opaque: String
  private let isWeak: Bool

  /// Creates the strong tag of a text from its 64-bit FNV-1a hash (Fowler, Noll and Vo).
  init(content: String) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in content.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    (opaque, isWeak) = ("\"\(String(hash, radix: 16))\"", false)
  }

  /// Creates the weak tag of a response that depends on a version of the store and contains the time.
  init(version: Int64) { (opaque, isWeak) = ("\"v\(version)\"", true) }

  /// The header field.
  var field: (name: String, value: String) { ("ETag", (isWeak ? "W/" : "") + opaque) }

  /// The response 304 to a client with this version.
  var notModified: ServerReply {
    var reply = ServerReply([], status: 304)
    reply.headers = [field]
    return reply
  }

  /// Returns whether the client has this version, by `If-None-Match`.
  func isCached(by request: ServerRequest) -> Bool {
    guard let tags = Self.tags(request.headers["if-none-match"]) else { return false }
    return tags.contains("*") || tags.contains { $0.trimmingPrefix("W/") == opaque }
  }

  /// Returns whether a change of a request applies to this version, by `If-Match`; weak tags do not match.
  func isExpected(by request: ServerRequest) -> Bool {
    guard let tags = Self.tags(request.headers["if-match"]) else { return true }
    return tags.contains("*") || !isWeak && tags.contains { $0 == opaque }
  }

  private static func tags(_ field: String?) -> [Substring]? {
    field.map { $0.split(separator: ",").map { $0.drop { $0 == " " }.prefix { $0 != " " } } }
  }
}

/// The version of a response, by which a client learns whether it has changed.
///
/// Source: RFC 9110, section 8.8.3.
struct EntityTag {
  private let opaque: String
  private let isWeak: Bool

  /// The tag of a text, by its 64-bit FNV-1a hash (Fowler, Noll and Vo).
  init(content: String) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in content.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    (opaque, isWeak) = ("\"\(String(hash, radix: 16))\"", false)
  }

  /// The tag of a response that depends on a version of the store, except for the date in it.
  init(version: Int64) { (opaque, isWeak) = ("\"v\(version)\"", true) }

  /// The header field.
  var field: (name: String, value: String) { ("ETag", (isWeak ? "W/" : "") + opaque) }

  /// The response to a client that has this version.
  var notModified: ServerReply {
    var reply = ServerReply([], status: 304)
    reply.headers = [field]
    return reply
  }

  /// Whether the client has this version already, by `If-None-Match`.
  func isKnown(to request: ServerRequest) -> Bool {
    guard let tags = Self.tags(request.headers["if-none-match"]) else { return false }
    return tags.contains("*") || tags.contains { $0.trimmingPrefix("W/") == opaque }
  }

  /// Whether a change by a request applies to this version, by `If-Match`; a weak tag does not match.
  func isExpected(by request: ServerRequest) -> Bool {
    guard let tags = Self.tags(request.headers["if-match"]) else { return true }
    return tags.contains("*") || !isWeak && tags.contains { $0 == opaque }
  }

  private static func tags(_ field: String?) -> [Substring]? {
    field.map { $0.split(separator: ",").map { $0.drop { $0 == " " }.prefix { $0 != " " } } }
  }
}

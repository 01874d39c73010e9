/// The header fields of a request, and its target.
extension ServerRequest {
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

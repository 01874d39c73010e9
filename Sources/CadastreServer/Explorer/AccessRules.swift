import Foundation

/// The access control of requests: by the headers `Host` and `Origin`, by a token, and by the program.
struct AccessRules: Sendable {
  /// The address to which the server is bound.
  let host: String
  /// The required token; nil for none.
  let token: String?
  /// The additional host names of the server, in lower case.
  let allowedHosts: Set<String>
  /// The authentication by the program; nil for none.
  let authentication: Authentication?
  /// The name of the cookie with the token.
  static let cookie = "cadastre-token"

  private static let localNames = ["127.0.0.1", "localhost", "::1"]

  init(_ options: StoreServer.Options) {
    (host, token, authentication) = (
      options.host.lowercased(), options.token, options.authentication
    )
    allowedHosts = Set(options.allowedHosts.map { $0.lowercased() })
  }

  /// Whether requests need a token or authentication by the program.
  private var areAuthenticated: Bool { token != nil || authentication != nil }

  /// Checks the headers of a request.
  ///
  /// A page of another site can cause a browser to send requests to this server, also under a host name of that site
  /// that resolves to this machine (DNS rebinding). So both headers must have names of this server.
  ///
  /// - Throws: ``RequestError`` 403 for another host or origin, 401 for a missing or wrong token, or if the program
  ///   denies access.
  func check(_ request: ServerRequest) async throws(RequestError) {
    guard let host = request.headers["host"], isServerName(host) else {
      throw RequestError(403, "host", "the header 'Host' names another server")
    }
    if let origin = request.headers["origin"] {
      guard let name = origin.split(separator: "/").last, isServerName(String(name)) else {
        throw RequestError(403, "origin", "the header 'Origin' names another site")
      }
    }
    if let token {
      let tokens = [bearer(request), cookie(request), parameter(request)].compactMap(\.self)
      guard tokens.contains(where: { Self.isEqual($0, token) }) else {
        throw RequestError(
          401, "token", "expected 'Authorization: Bearer' with the token of the server")
      }
    }
    if case .denied(let reason)? = await authentication?(request.headers) {
      throw RequestError(401, "denied", reason)
    }
  }

  /// Requires that a change has the origin of this server; another port of this machine is another origin.
  ///
  /// - Throws: ``RequestError`` 403 for another origin.
  func checkChange(_ request: ServerRequest) throws(RequestError) {
    guard let origin = request.headers["origin"] else { return }
    guard let name = origin.split(separator: "/").last,
      name.lowercased() == request.headers["host"]?.lowercased()
    else { throw RequestError(403, "origin", "the header 'Origin' names another server") }
  }

  /// Returns whether a name with or without a port is a name of this server.
  private func isServerName(_ address: String) -> Bool {
    var name = address
    if let colon = name.lastIndex(of: ":"), !name.hasSuffix("]"),
      name[name.index(after: colon)...].allSatisfy(\.isNumber)
    {
      name = String(name[..<colon])
    }
    name = name.trimmingCharacters(in: ["[", "]"]).lowercased()
    // A server on all addresses has unknown names, and requires a token.
    if Self.localNames.contains(name) || name == host || allowedHosts.contains(name) { return true }
    return areAuthenticated && ["0.0.0.0", "::"].contains(host)
  }

  private func bearer(_ request: ServerRequest) -> String? {
    guard let field = request.headers["authorization"], field.lowercased().hasPrefix("bearer ")
    else { return nil }
    return String(field.dropFirst(7))
  }

  private func cookie(_ request: ServerRequest) -> String? {
    let cookies = (request.headers["cookie"] ?? "").split(separator: ";")
    let head = Self.cookie + "="
    return cookies.map { $0.drop { $0 == " " } }.first { $0.hasPrefix(head) }
      .map { String($0.dropFirst(head.count)) }
  }

  private func parameter(_ request: ServerRequest) -> String? {
    request.parameters.first { $0.name == "token" }?.value
  }

  /// Compares two texts in constant time.
  private static func isEqual(_ first: String, _ second: String) -> Bool {
    let (one, other) = (Array(first.utf8), Array(second.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// The decision of an authentication.
public enum Access: Sendable {
  /// The request is processed.
  case allowed
  /// The request is rejected with the status 401 and a reason for the client.
  case denied(reason: String)
}

/// Authenticates a request by its header fields, whose names are in lower case.
public typealias Authentication = @Sendable (_ headers: [String: String]) async -> Access

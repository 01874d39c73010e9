/// An HTTP server for a store: an explorer page for people, OGC API – Features and vector tiles for programs.
///
///     let server = try StoreServer(store: "a.cadastre", options: StoreServer.Options())
///     try await server.run { print("http://127.0.0.1:\($0)/") }
///
/// By default, the server is read-only and bound to the loopback address. Another address requires a token.
///
/// `run(onStart:)` and `responder` require the trait `Server`, which adds the HTTP library Hummingbird.
public struct StoreServer: Sendable {
  /// The options of a server.
  public struct Options: Sendable {
    /// The address to which the server is bound.
    public var host = "127.0.0.1"
    /// The port; 0 for a free port.
    public var port = 8080
    /// The token that every request must have; required if `host` is not this machine and `authentication` is nil.
    public var token: String?
    /// The host names that requests may have in the headers `Host` and `Origin`, in addition to `host` and the names
    /// of this machine.
    public var allowedHosts: Set<String> = []
    /// The authentication of requests by their header fields; nil to allow all requests.
    public var authentication: Authentication?
    /// The classes and fields that the server shows.
    public var visibility = Visibility.everything
    /// Whether requests may create, replace, update and delete visible objects.
    public var isWritable = false
    /// The time after which a request is cancelled.
    public var timeout = Duration.seconds(30)
    /// The maximum number of connections, at most half of the process's descriptors; further connections wait until one
    /// is closed.
    public var connections = 256

    /// Creates the default options.
    public init() {}
  }

  /// The error for invalid options.
  public struct InvalidOptions: Error, CustomStringConvertible {
    /// The actual and the expected values.
    public let description: String
  }

  let service: ExplorerService
  let options: Options

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The path of the store.
  ///   - options: The options.
  /// - Throws: ``InvalidOptions`` for an address that requires a token, and for fewer than one connection; an error of
  ///   the store if the file is missing or is not a store.
  public init(store path: String, options: Options = Options()) throws {
    let isLocal = ["127.0.0.1", "localhost", "::1"].contains(options.host)
    guard isLocal || options.token?.isEmpty == false || options.authentication != nil else {
      throw InvalidOptions(
        description:
          "a server for other machines needs a token, and '\(options.host)' is not this machine")
    }
    guard options.connections > 0 else {
      throw InvalidOptions(
        description: "expected 1 connection or more, and found \(options.connections)")
    }
    service = try ExplorerService(store: path, options: options)
    self.options = options
  }
}

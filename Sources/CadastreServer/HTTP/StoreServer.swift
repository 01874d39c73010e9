/// An HTTP server that shows a store: a page for people, OGC API – Features and vector tiles for programs.
///
///     let server = try StoreServer(store: "a.cadastre", options: StoreServer.Options())
///     try await server.run { print("http://127.0.0.1:\($0)/") }
///
/// The server changes objects only where the options say so. It is bound to this machine only, unless the
/// options name another address, which needs a token.
///
/// `run(onStart:)` and `responder` exist where the package is built with the trait `Server`, which adds the
/// HTTP library Hummingbird.
public struct StoreServer: Sendable {
  /// The options of a server.
  public struct Options: Sendable {
    /// The address to which the server is bound.
    public var host = "127.0.0.1"
    /// The port; 0 for any free one.
    public var port = 8080
    /// The token that every request must have; needed where `host` is not this machine and there is no
    /// `authentication`.
    public var token: String?
    /// The host names that requests may have in the headers `Host` and `Origin`, beside `host` and the names of this
    /// machine.
    public var allowedHosts: Set<String> = []
    /// The decision about each request by its header fields; nil to answer all.
    public var authentication: Authentication?
    /// The classes and fields that the server shows.
    public var visibility = Visibility.everything
    /// Whether requests may create, replace, update and delete visible objects.
    public var isWritable = false
    /// The time after which a request is cancelled.
    public var timeout = Duration.seconds(30)
    /// The number of connections at most, and half of the process's descriptors at most; further ones wait until one
    /// is closed.
    public var connections = 256

    /// Creates the default options.
    public init() {}
  }

  /// Why a server cannot be made.
  public struct InvalidOptions: Error, CustomStringConvertible {
    /// What was found and what was expected.
    public let description: String
  }

  let service: ExplorerService
  let options: Options

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The path of the store.
  ///   - options: The options.
  /// - Throws: ``InvalidOptions`` for an address without a token, and without a connection; an error of the store
  ///   where the file is missing or is not a store.
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

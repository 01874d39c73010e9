#if Server
  import Dispatch
  import Foundation
  public import Hummingbird
  import HummingbirdCore
  import NIOCore

  extension StoreServer {
    /// Runs the server until the task is cancelled, or the process gets SIGINT or SIGTERM.
    ///
    /// - Parameter onStart: Called with the port when the server accepts requests.
    /// - Throws: The error of the system if the address is in use.
    public func run(onStart: @escaping @Sendable (_ port: Int) -> Void = { _ in }) async throws {
      let signals = [SIGINT, SIGTERM].map { [service] number in
        let source = DispatchSource.makeSignalSource(signal: number)
        // Event streams end only here.
        source.setEventHandler { service.changes.end() }
        source.activate()
        return source
      }
      defer { for source in signals { source.cancel() } }
      let connections = ConnectionLimit.connections(
        options.connections, descriptors: ConnectionLimit.descriptors)
      let application = Application(
        responder: responder,
        server: .http1(
          configuration: .init(additionalChannelHandlers: [ConnectionHandler.Installation()])),
        configuration: ApplicationConfiguration(
          address: .hostname(options.host, port: options.port), serverName: "cadastre",
          availableConnectionsDelegate: MaximumAvailableConnections(connections)),
        onServerRunning: { channel in
          await Self.prepare(channel)
          onStart(channel.localAddress?.port ?? 0)
        })
      try await application.runService()
    }

    /// Configures the socket of the server to accept one connection at a time, with a pause after a failure.
    private static func prepare(_ channel: any Channel) async {
      // Fails only if the server has ended.
      try? await channel.eventLoop.submit {
        // The limit of connections is checked before each read, which accepts four connections by default.
        try channel.syncOptions?.setOption(ChannelOptions.maxMessagesPerRead, value: 1)
        try channel.pipeline.syncOperations.addHandler(AcceptPause(), position: .first)
      }.get()
    }

    /// The responder to all requests, for a server of the program.
    ///
    /// ``StoreRoutes`` responds only to paths of the store.
    public var responder: CallbackResponder<BasicRequestContext> {
      CallbackResponder { [service] request, _ in await service.response(to: request) }
    }
  }

  /// Middleware that adds the routes of a store to a router of the program.
  ///
  ///     let router = Router()
  ///     router.add(middleware: StoreRoutes(server))
  ///     router.get("hello") { _, _ in "Hello" }
  ///     try await Application(router: router).runService()
  public struct StoreRoutes<Context: RequestContext>: RouterMiddleware {
    private let service: ExplorerService

    /// Creates the routes of a server.
    public init(_ server: StoreServer) { service = server.service }

    /// Responds to a request for the store, and passes other requests on.
    public func handle(
      _ request: Request, context: Context,
      next: (Request, Context) async throws -> Response
    ) async throws -> Response {
      let first = request.uri.path.split(separator: "/").first.map(String.init) ?? ""
      guard ExplorerService.firstSegments.contains(first) else {
        return try await next(request, context)
      }
      return await service.response(to: request)
    }
  }
#endif

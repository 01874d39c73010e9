#if Server
  import Dispatch
  import Foundation
  public import Hummingbird
  import NIOCore

  extension StoreServer {
    /// Runs the server until the task is cancelled, or the process gets SIGINT or SIGTERM.
    ///
    /// - Parameter onStart: Called with the port when the server accepts requests.
    /// - Throws: The error of the system where the address is in use.
    public func run(onStart: @escaping @Sendable (_ port: Int) -> Void = { _ in }) async throws {
      let signals = [SIGINT, SIGTERM].map { [service] number in
        let source = DispatchSource.makeSignalSource(signal: number)
        // Streams of changes have no end of their own.
        source.setEventHandler { service.changes.end() }
        source.activate()
        return source
      }
      defer { for source in signals { source.cancel() } }
      let application = Application(
        responder: responder,
        server: .http1(configuration: .init(idleTimeout: Self.idleTimeout)),
        configuration: ApplicationConfiguration(
          address: .hostname(options.host, port: options.port), serverName: "cadastre"),
        onServerRunning: { channel in onStart(channel.localAddress?.port ?? 0) })
      try await application.runService()
    }

    /// The time after which a connection without a request is closed.
    private static let idleTimeout = TimeAmount.seconds(60)

    /// Answers all requests, for a server of the program's own; ``StoreRoutes`` answers those of the store only.
    public var responder: CallbackResponder<BasicRequestContext> {
      CallbackResponder { [service] request, _ in await service.response(to: request) }
    }
  }
#endif

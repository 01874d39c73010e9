#if Server
  public import Hummingbird

  /// The routes of a store in a router of the program's own; other requests go to the other routes.
  ///
  ///     let router = Router()
  ///     router.add(middleware: StoreRoutes(server))
  ///     router.get("hello") { _, _ in "Hello" }
  ///     try await Application(router: router).runService()
  public struct StoreRoutes<Context: RequestContext>: RouterMiddleware {
    private let service: ExplorerService

    /// Creates the routes of a server.
    public init(_ server: StoreServer) { service = server.service }

    /// Answers a request for the store, and passes other requests on.
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

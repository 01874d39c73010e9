import Cadastre
import Foundation
import Hummingbird

/// Serves places over HTTP.
///
/// `swift run HTTPServer STORE [PORT]` opens or creates the store and listens on 127.0.0.1; port 0, the
/// default, is a free one. The address is printed when the server accepts requests. SIGTERM and SIGINT
/// end it.
@main
struct Main {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first, let port = Int(arguments.dropFirst().first ?? "0") else {
      FileHandle.standardError.write(Data("Usage: HTTPServer STORE [PORT]\n".utf8))
      exit(64)
    }
    let service = PlaceService(
      Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: Place.all))
    try await service.start()
    let server = Application(
      responder: CallbackResponder<BasicRequestContext> { request, _ in
        try await service.response(to: request)
      },
      // A client that sends no complete request in this time loses its connection.
      server: .http1(configuration: .init(idleTimeout: .seconds(60))),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? port
        print("http://127.0.0.1:\(port)/places")
        fflush(nil)
      })
    try await server.runService()
  }
}

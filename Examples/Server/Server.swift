import Cadastre
import Foundation

/// Serves concurrent requests from one store.
///
/// `swift run Server` simulates clients and checks the replies. `swift run Server --stdin` reads a
/// request such as `PUT /places/7 {"name": "Orly"}` from each line of standard input and prints the
/// replies in the order of their arrival. The package in `Examples/HTTPServer` serves the same requests
/// over HTTP.
@main
struct Server {
  static func main() async throws {
    let service = PlaceService(
      Realm.Configuration(inMemoryIdentifier: "places", objectTypes: Place.all))
    try await service.start()
    if CommandLine.arguments.contains("--stdin") {
      await serve(service)
    } else {
      try await Simulation(service: service).run()
    }
  }

  /// Handles each line in a task of its own.
  private static func serve(_ service: PlaceService) async {
    await withTaskGroup(of: Void.self) { group in
      while let line = readLine() {
        group.addTask {
          let reply = await service.reply(to: PlaceRequest(line: line))
          print(reply.status, String(decoding: reply.body, as: UTF8.self))
        }
      }
    }
  }
}

extension PlaceRequest {
  /// Reads a method, a path with parameters, and a body, with spaces between them.
  init(line: String) {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    let address = URLComponents(string: words.count > 1 ? words[1] : "")
    self.init(
      method: words.first ?? "",
      path: (address?.path ?? "").split(separator: "/").map(String.init),
      parameters: Dictionary(
        (address?.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 }),
      body: Data((words.count > 2 ? words[2] : "").utf8))
  }
}

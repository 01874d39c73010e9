import Cadastre
import Foundation

/// Serves concurrent requests from one store.
///
/// `swift run Server` simulates clients and checks the replies. `swift run Server --stdin` reads a
/// request from each line of standard input and prints the replies in the order of their arrival.
@main
struct Server {
  static func main() async throws {
    let service = Service(
      Realm.Configuration(
        inMemoryIdentifier: "stations", objectTypes: [Station.self, Place.self]))
    try await service.start()
    if CommandLine.arguments.contains("--stdin") {
      await serve(service)
    } else {
      await simulate(service)
    }
  }

  /// Handles each line in a task of its own.
  private static func serve(_ service: Service) async {
    await withTaskGroup(of: Void.self) { group in
      while let line = readLine() {
        group.addTask { print(await service.reply(to: line)) }
      }
    }
  }

  /// Sends requests of many clients at the same time, and checks the state afterwards.
  private static func simulate(_ service: Service) async {
    let (clients, requests) = (200, 5)
    await withTaskGroup(of: Void.self) { group in
      for client in 0..<clients {
        group.addTask {
          for request in 0..<requests {
            let line = "record \(client) \(request) \(client % 180) \(client % 80)"
            check(await service.reply(to: line), "stored")
            check(await service.reply(to: "level \(client)"), "\(Double(request))")
          }
        }
      }
    }
    check(await service.reply(to: "count level == \(requests - 1)"), "\(clients)")
    check(await service.reply(to: "count place GEOWITHIN geoCircle([0, 0], 0.01)"), "1")
    check(await service.reply(to: "level 999"), "unknown")
    let fault = await service.reply(to: "count levle > 3")
    check(fault.prefix(7), "error: ")
    print(fault)
    let commits = await service.commits
    print("\(clients * requests) writes of \(clients) clients in \(commits) transactions")
    guard commits < clients * requests else { return stop("no writes were collected") }
  }

  private static func check(_ reply: some StringProtocol, _ expected: String) {
    guard reply != expected else { return }
    stop("expected the reply '\(expected)', found '\(reply)'")
  }

  private static func stop(_ message: String) {
    FileHandle.standardError.write(Data("Server: \(message)\n".utf8))
    exit(1)
  }
}

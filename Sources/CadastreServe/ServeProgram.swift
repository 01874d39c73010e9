import ArgumentParser
import CadastreServer
import Foundation

/// The program that `cadastre serve` runs.
@main
struct ServeProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cadastre-serve",
    abstract: "Show a store in the browser, and serve it as OGC API – Features and vector tiles.",
    discussion: """
      The server reads the store, is bound to this machine only, and runs until it is interrupted.

      EXAMPLES
        cadastre serve a.cadastre --open
        cadastre serve a.cadastre --host 0.0.0.0 --token "$(openssl rand -hex 16)"
        ogrinfo OAPIF:http://127.0.0.1:8080
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(help: "The port; 0 for any free one.")
  var port = 8080

  @Option(help: ArgumentHelp("The address to which the server is bound.", valueName: "ADDRESS"))
  var host = "127.0.0.1"

  @Option(
    help: ArgumentHelp(
      "The token that every request must have; needed with --host.", valueName: "TOKEN"))
  var token: String?

  @Flag(help: "Open the page in the browser.")
  var open = false

  func validate() throws {
    guard (0...65535).contains(port) else {
      throw ValidationError("--port must be between 0 and 65535")
    }
  }

  func run() async throws {
    var options = StoreServer.Options()
    (options.host, options.port, options.token) = (host, port, token)
    let server = try StoreServer(store: store, options: options)
    let name = host.contains(":") ? "[\(host)]" : host == "0.0.0.0" ? "127.0.0.1" : host
    try await server.run { [open, token] port in
      let address = "http://\(name):\(port)/"
      print(address)
      fflush(nil)
      if open { Self.show(address + (token.map { "?token=\($0)" } ?? "")) }
    }
  }

  /// Opens an address in the browser of the system; without one nothing happens.
  private static func show(_ address: String) {
    #if os(macOS)
      let program = "open"
    #else
      let program = "xdg-open"
    #endif
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program, address]
    process.standardError = FileHandle.nullDevice
    try? process.run()
  }
}

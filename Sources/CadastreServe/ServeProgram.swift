import ArgumentParser
import CadastreFormatting
import CadastreModel
import CadastreServeOptions
import CadastreServer
import Foundation

/// The program that `cadastre serve` runs.
@main
struct ServeProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cadastre-serve", abstract: ServeOptions.abstract,
    discussion: ServeOptions.discussion, version: CadastreVersion.number)

  @OptionGroup var options: ServeOptions

  static func main() async {
    StandardDescriptors.openMissing()
    do {
      var command = try parseAsRoot()
      if var program = command as? any AsyncParsableCommand {
        try await program.run()
      } else {
        try command.run()
      }
    } catch {
      end(withError: error)
    }
  }

  func run() async throws {
    #if Server
      var settings = StoreServer.Options()
      (settings.host, settings.port, settings.token) = (options.host, options.port, options.token)
      settings.timeout = .seconds(options.timeout)
      settings.connections = options.connections
      settings.isWritable = options.writable
      let server = try StoreServer(store: options.store, options: settings)
      try await server.run { [options] port in
        let address = Self.address(options.host, port)
        print(address)
        fflush(nil)
        if options.open { Self.show(address + (options.token.map { "?token=\($0)" } ?? "")) }
      }
    #else
      throw ValidationError(
        "this program was built without its HTTP library; build it with "
          + "'swift build -c release --traits Server --product cadastre-serve'")
    #endif
  }

  /// Returns the address of the page.
  private static func address(_ host: String, _ port: Int) -> String {
    let name = host.contains(":") ? "[\(host)]" : host == "0.0.0.0" ? "127.0.0.1" : host
    return "http://\(name):\(port)/"
  }

  /// Opens an address in the default browser, if there is one.
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

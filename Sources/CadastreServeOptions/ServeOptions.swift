package import ArgumentParser
import CadastreFormatting
import Foundation

/// The arguments of `cadastre serve` and of `cadastre-serve`, which are the same.
package struct ServeOptions: ParsableArguments {
  @Argument(help: "The store.", completion: .file())
  package var store: String

  @Option(help: "The port; 0 for any free one.")
  package var port = 8080

  @Option(help: ArgumentHelp("The address to which the server is bound.", valueName: "address"))
  package var host = "127.0.0.1"

  @Option(
    help: ArgumentHelp(
      "The token that every request must have; needed with --host.", valueName: "token"))
  package var token: String?

  @Option(
    help: ArgumentHelp("The time after which a request is cancelled.", valueName: "seconds"))
  package var timeout = 30

  @Option(
    help: ArgumentHelp(
      "The number of connections at most; further ones wait.", valueName: "number"))
  package var connections = 256

  @Flag(help: "Let requests create, replace, update and delete objects.")
  package var writable = false

  @Flag(help: "Open the page in the browser.")
  package var open = false

  package init() {}

  package func validate() throws {
    guard (0...65535).contains(port) else {
      throw ValidationError("--port must be between 0 and 65535")
    }
    guard (1...86_400).contains(timeout) else {
      throw ValidationError("--timeout must be between 1 and 86400 seconds")
    }
    guard (1...1_000_000).contains(connections) else {
      throw ValidationError("--connections must be between 1 and 1000000")
    }
  }

  /// The summary in the help.
  package static let abstract =
    "Show a store in the browser, and serve it as OGC API Features and vector tiles."
  /// The description and the examples in the help.
  package static let discussion = """
    The server is bound to this machine only, and runs until it is interrupted.
    It changes objects only with --writable.

    EXAMPLES
      cadastre serve a.cadastre --open
      cadastre serve a.cadastre --host 0.0.0.0 --token "$(openssl rand -hex 16)"
      ogrinfo OAPIF:http://127.0.0.1:8080
    """

  /// The options as arguments of `cadastre-serve`.
  package var arguments: [String] {
    var arguments = [
      "--port", "\(port)", "--host=\(host)", "--timeout", "\(timeout)",
      "--connections", "\(connections)",
    ]
    if let token { arguments.append("--token=\(token)") }
    if writable { arguments.append("--writable") }
    if open { arguments.append("--open") }
    return arguments + ["--", store]
  }
}

extension ParsableCommand {
  /// Ends the program like `exit(withError:)` does, with a printable message.
  ///
  /// Control characters in the message are visible, and passwords are hidden.
  ///
  /// - Parameter error: An error, a status, or a request for the help.
  package static func end(withError error: any Error) -> Never {
    let status = exitCode(for: error)
    if status.isSuccess { exit(withError: error) }
    let message = fullMessage(for: error)
    if !message.isEmpty {
      let line = printableMessage(message) + "\n"
      try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }
    Foundation.exit(status.rawValue)
  }
}

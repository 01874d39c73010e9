import ArgumentParser
import CadastreServeOptions
import Foundation

/// Replaces this process by the program `cadastre-serve`, which has the HTTP library.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: ServeOptions.abstract, discussion: ServeOptions.discussion)

  @OptionGroup var options: ServeOptions

  private static let program = "cadastre-serve"

  func run() throws {
    let arguments = [Self.program] + options.arguments
    if let folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
    {
      Self.replaceProcess(folder.appending(path: Self.program).path, arguments)
    }
    Self.replaceProcess(Self.program, arguments)
    throw MissingProgram()
  }

  private struct MissingProgram: Error, CustomStringConvertible {
    let description =
      "there is no program '\(ServeCommand.program)' beside this one or in PATH; build it with "
      + "'swift build -c release --traits Server --product \(ServeCommand.program)'"
  }

  /// Executes a program in this process; a name without a slash is searched in PATH.
  ///
  /// Returns only if the program cannot be executed.
  private static func replaceProcess(_ program: String, _ arguments: [String]) {
    var texts = arguments.map { strdup($0) }
    texts.append(nil)
    defer { for text in texts { free(text) } }
    execvp(program, texts)
  }
}

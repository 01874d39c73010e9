import ArgumentParser
import CadastreDatasets

/// The option of all subcommands that write a file.
struct OverwriteOption: ParsableArguments {
  @Flag(
    name: [.customLong("overwrite"), .customLong("force")],
    help: "Replace any existing file, except for inputs and stores.")
  var overwrite = false

  /// Returns the rules for an output.
  ///
  /// - Parameters:
  ///   - isEarlierOutput: Returns whether the first bytes of a file are those of an earlier output
  ///     of the same kind, which is replaced without the option.
  ///   - inputs: The files that the command reads.
  ///   - store: The store that the command reads or writes.
  /// - Returns: The rules.
  func rules(
    replacing isEarlierOutput: (([UInt8]) -> Bool)? = nil, inputs: [String] = [], store: String
  ) -> OutputRules {
    let replacement: OutputRules.Replacement =
      overwrite ? .all : isEarlierOutput.map { .earlier(isOutput: $0) } ?? .none
    return OutputRules(replacing: replacement, inputs: inputs, stores: [store])
  }
}

import ArgumentParser

/// The option of the subcommands that copy from or to a database.
struct TimeoutOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "End if the database sends nothing for so long; by default CADASTRE_TIMEOUT, or 3600.",
      valueName: "seconds"))
  var timeout: Int?

  func validate() throws {
    guard let timeout, !Environment.timeouts.contains(timeout) else { return }
    throw ValidationError(
      "--timeout must be between \(Environment.timeouts.lowerBound) and "
        + "\(Environment.timeouts.upperBound) seconds")
  }
}

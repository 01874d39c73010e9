import ArgumentParser

/// The option of all subcommands that write CSV.
struct FormulaOption: ParsableArguments {
  @Flag(
    help: "In CSV, write an apostrophe before texts that a spreadsheet would run as formulas.")
  var guardFormulas = false

  /// Throws if the option is used with another format than CSV.
  func check(isCSV: Bool) throws {
    guard !guardFormulas || isCSV else {
      throw ValidationError("--guard-formulas needs the format csv")
    }
  }
}

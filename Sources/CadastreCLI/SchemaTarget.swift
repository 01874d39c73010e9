import ArgumentParser
import CadastreFormatting

/// The arguments of the subcommands that change a class or a field.
struct SchemaTarget: ParsableArguments {
  @Argument(help: "The store.", completion: .file())
  var store: String

  @Argument(help: "The class.", completion: .custom(StoreCompletion.classNames))
  var className: String

  /// Throws a usage error if the number of names is not within the given range.
  static func validate(_ names: [String], _ counts: ClosedRange<Int>) throws {
    guard counts.contains(names.count) else {
      throw ValidationError("expected [FIELD] NEW-NAME after the class, found \(names.count) names")
    }
  }

  /// Returns the class, or its field, for messages: `Airport` or `Airport.elevation`.
  func description(_ field: some Collection<String>) -> String {
    printable(([className] + field).joined(separator: "."))
  }
}

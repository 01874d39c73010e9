import ArgumentParser
import CadastreDatasets
import CadastreFormatting

struct DropCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop",
    abstract: "Remove a class of a store with its objects, or a field of a class.",
    discussion: """
      Embedded classes that no field uses any more are removed too. A class to which other classes \
      link is not removed.

      EXAMPLES
        cadastre drop a.cadastre Airport elevation
        cadastre drop a.cadastre Airport
      """)

  @OptionGroup var target: SchemaTarget

  @Argument(
    help: "The field; by default the class is removed.",
    completion: .custom(StoreCompletion.fieldNames))
  var field: String?

  func run() throws {
    let edit = SchemaEdit(store: target.store)
    var objects = ""
    if let field {
      try edit.drop(field: field, of: target.className)
    } else {
      objects = " with \(counted(try edit.drop(class: target.className), "object"))"
    }
    Terminal.say("dropped \(target.description([field].compactMap(\.self)))\(objects)")
  }
}

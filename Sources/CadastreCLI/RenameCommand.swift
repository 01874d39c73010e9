import ArgumentParser
import CadastreDatasets
import CadastreFormatting

struct RenameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Rename a class of a store, or a field of a class.",
    discussion: """
      Objects, links and indexes are kept. A Swift program that opens the store must use the new \
      name.

      EXAMPLES
        cadastre rename a.cadastre Airport Aerodrome
        cadastre rename a.cadastre Airport elevation height
      """)

  @OptionGroup var target: SchemaTarget

  @Argument(
    help: ArgumentHelp("The field, if a field is renamed, and the new name.", valueName: "name"),
    completion: .custom(StoreCompletion.fieldNames))
  var names: [String]

  func validate() throws { try SchemaTarget.validate(names, 1...2) }

  func run() throws {
    let edit = SchemaEdit(store: target.store)
    let name = names[names.count - 1]
    if names.count == 2 {
      try edit.rename(field: names[0], of: target.className, to: name)
    } else {
      try edit.rename(class: target.className, to: name)
    }
    Terminal.say("renamed \(target.description(names.dropLast())) to \(printable(name))")
  }
}

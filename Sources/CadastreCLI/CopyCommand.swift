import ArgumentParser
import CadastreDatasets
import CadastreFormatting

struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy a class of a store with its objects, or a field of a class with its values.",
    discussion: """
      The copy has the indexes of the original. The copy of a primary key is no primary key.

      EXAMPLES
        cadastre copy a.cadastre Airport AirportBackup
        cadastre copy a.cadastre Airport elevation height
      """)

  @OptionGroup var target: SchemaTarget

  @Argument(
    help: ArgumentHelp("The field, if a field is copied, and the new name.", valueName: "name"),
    completion: .custom(StoreCompletion.fieldNames))
  var names: [String]

  func validate() throws { try SchemaTarget.validate(names, 1...2) }

  func run() throws {
    let edit = SchemaEdit(store: target.store)
    let name = names[names.count - 1]
    var objects = ""
    if names.count == 2 {
      try edit.copy(field: names[0], of: target.className, to: name)
    } else {
      objects = " with \(counted(try edit.copy(class: target.className, to: name), "object"))"
    }
    Terminal.say("copied \(target.description(names.dropLast()))\(objects) to \(printable(name))")
  }
}

import ArgumentParser
import CadastreDatasets
import CadastreFormatting

struct IndexCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "index",
    abstract: "Add the ordered index of fields, or remove it.",
    discussion: """
      Points always have a spatial index. Other processes may have the store open. If the index \
      already exists, or is already missing, nothing changes. A Swift program that opens the \
      store gives its classes the indexes that it declares.

      An index of several fields finds values of the first ones and a range of the next one, and \
      has the order of those that follow. It raises the format of the store, which earlier \
      versions of cadastre refuse, until the last one is removed.

      EXAMPLES
        cadastre index a.cadastre Airport elevation
        cadastre index a.cadastre Airport country elevation
        cadastre index a.cadastre Airport elevation --remove
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Argument(help: "The class.", completion: .custom(StoreCompletion.classNames))
  var className: String

  @Argument(
    help: "The fields; a field of an embedded object is OBJECT.FIELD.",
    completion: .custom(StoreCompletion.fieldNames))
  var field: [String]

  @Flag(help: "Remove the index.")
  var remove = false

  func run() throws {
    let isChanged = try IndexChange(
      store: store, className: className, fields: field, isRemoving: remove
    ).run()
    let state = remove ? "no index" : "an index"
    let fields = field.count == 1 ? field[0] : "(\(field.joined(separator: ", ")))"
    Terminal.say("\(className).\(fields) has \(state)\(isChanged ? "" : ", as before")")
  }
}

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

/// The arguments of the subcommands that change a class or a field.
struct SchemaTarget: ParsableArguments {
  @Argument(help: "The store.", completion: .file())
  var store: String

  @Argument(help: "The class.", completion: .custom(StoreCompletion.classNames))
  var className: String

  /// Throws a usage error if the number of names is out of a range.
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

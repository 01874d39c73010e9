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
    abstract:
      "Copy a class with its objects in a store or to another store, or a field of a class.",
    discussion: """
      The copy has the indexes of the original. The copy of a primary key is no primary key. A name with a full stop \
      or a slash that is no field is that of another store, which is created if it does not exist; embedded objects are copied with \
      their owners, links to other objects are not.

      EXAMPLES
        cadastre copy a.cadastre Airport AirportBackup
        cadastre copy a.cadastre Airport elevation height
        cadastre copy a.cadastre Airport b.cadastre
        cadastre copy a.cadastre Airport b.cadastre French --where "country == 'FR'"
      """)

  @OptionGroup var target: SchemaTarget

  @Argument(
    help: ArgumentHelp(
      "The field, if a field is copied, and the new name; or the other store, and the name of the class there.",
      valueName: "name"),
    completion: .custom(StoreCompletion.fieldNames))
  var names: [String]

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Copy only objects that match a predicate, to another store.", valueName: "PREDICATE"))
  var predicate: String?

  /// The path of another store; nil for a copy in the store.
  private var otherStore: String? {
    names.first.flatMap { $0.contains { "/.".contains($0) } ? $0 : nil }
  }

  /// Returns whether the first of two names is a field, which may contain a full stop or a slash.
  private func isField() -> Bool {
    guard names.count == 2,
      let fields = try? SchemaEdit(store: target.store).fieldNames(of: target.className)
    else { return false }
    return fields.contains(names[0])
  }

  func validate() throws {
    try SchemaTarget.validate(names, 1...2)
    guard predicate == nil || otherStore != nil else {
      throw ValidationError("--where applies to a copy to another store")
    }
  }

  func run() throws {
    if let otherStore, predicate != nil || !isField() { return try copy(to: otherStore) }
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

  private func copy(to store: String) throws {
    let name = names.count == 2 ? names[1] : target.className
    let copy = StoreCopy(from: target.store, className: target.className, predicate: predicate)
    let report = try copy.run(to: store, as: name)
    if !report.links.isEmpty {
      Terminal.say("note: links are not copied: \(report.links.joined(separator: ", "))")
    }
    if report.droppedLinks > 0 {
      Terminal.say("note: \(counted(report.droppedLinks, "link")) in mixed values became null")
    }
    Terminal.say(
      "copied \(target.className) with \(counted(report.count, "object")) to \(printable(name)) in "
        + printable(store))
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

import ArgumentParser
import CadastreDatasets

struct IndexCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "index",
    abstract: "Add the ordered index of a field, or remove it.",
    discussion: """
      Points always have a spatial index. Other processes may have the store open. If the index \
      already exists, or is already missing, nothing changes. A Swift program that opens the \
      store gives its classes the indexes that it declares.

      EXAMPLES
        cadastre index a.cadastre Airport elevation
        cadastre index a.cadastre Airport elevation --remove
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Argument(help: "The class.", completion: .custom(StoreCompletion.classNames))
  var className: String

  @Argument(
    help: "The field; a field of an embedded object is OBJECT.FIELD.",
    completion: .custom(StoreCompletion.fieldNames))
  var field: String

  @Flag(help: "Remove the index.")
  var remove = false

  func run() throws {
    let isChanged = try IndexChange(
      store: store, className: className, field: field, isRemoving: remove
    ).run()
    let state = remove ? "no index" : "an index"
    Terminal.say("\(className).\(field) has \(state)\(isChanged ? "" : ", as before")")
  }
}

import Cadastre
import CadastreModel
import Foundation
import Testing

/// A column of the table of types.
enum TypeColumn: String, CaseIterable, Codable {
  case required, optional
  case primaryKey = "primary key"
  case indexed
  case list = "List"
  case set = "MutableSet"
  case map = "Map"
  case sort
  case extremes = "min, max"
  case aggregate
  case query
}

/// What became of trying a cell of the table, if the process is still there.
enum TypeOutcome: Equatable {
  case works
  /// No such property can be declared: it does not compile.
  case absent
  /// The schema breaks rules.
  case refused
}

/// A row of the table of types.
protocol TypeRow {
  /// The first cell of the row.
  var name: String { get }
  /// Tries a cell, and checks what it gives.
  func attempt(_ column: TypeColumn) throws -> TypeOutcome
}

extension TypeRow {
  /// Whether a class, with those that it leads to, breaks the rules of schemas.
  func breaksRules(_ type: Object.Type, _ others: [ObjectBase.Type]) -> Bool {
    let classes = [type.init().objectSchema] + others.map { ($0.init() as ObjectBase).objectSchema }
    return !SchemaRules.errors(of: Schema(classes)).isEmpty
  }

  /// Writes objects to a file, and reads them when it is opened again.
  func reopened<Model: Object>(
    _ type: Model.Type, _ others: [ObjectBase.Type], _ objects: () -> [Model],
    _ check: (Realm, Results<Model>) throws -> Void
  ) throws -> TypeOutcome {
    if breaksRules(type, others) { return .refused }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cadastre-types-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = Realm.Configuration(
      fileURL: folder.appendingPathComponent("types.cadastre"), objectTypes: [type] + others)
    try {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.add(objects()) }
    }()
    let realm = try Realm(configuration: configuration)
    try check(realm, realm.objects(type))
    return .works
  }
}

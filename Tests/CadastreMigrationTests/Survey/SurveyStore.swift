import Cadastre
import Foundation

/// A store of the survey, as one of its releases opens it.
struct SurveyStore {
  let version: Int
  let url: URL

  static let types: [[ObjectBase.Type]] = [
    Survey1.types, Survey2.types, Survey3.types, Survey4.types, Survey5.types, Survey6.types,
    Survey7.types,
  ]
  static var versions: ClosedRange<Int> { 1...types.count }

  var configuration: Realm.Configuration {
    let version = version
    return Realm.Configuration(
      fileURL: url, schemaVersion: UInt64(version),
      migrationBlock: { Self.migrate($0, from: Int($1), to: version) },
      objectTypes: Self.types[version - 1])
  }

  /// What all releases together do to a store of any earlier one, as an application keeps adding to its
  /// block.
  private static func migrate(_ migration: Migration, from old: Int, to new: Int) {
    let crosses = { (version: Int) in old < version && version <= new }
    if crosses(2) { migration.renameProperty(onType: "Owner", from: "mail", to: "email") }
    if crosses(4) {
      migration.renameProperty(onType: "Parcel", from: "center", to: "location")
      _ = migration.deleteData(forType: "Photo")
      migration.enumerateObjects(ofType: "Owner") { was, owner in
        owner?["id"] = "owner-\(was?["id"] as? Int ?? -1)"
      }
    }
    guard crosses(2) || crosses(3) || crosses(5) else { return }
    migration.enumerateObjects(ofType: "Parcel") { was, parcel in
      if crosses(2) { parcel?["area"] = Double(was?["area"] as? Int ?? -1) }
      if crosses(3) {
        let rates = was?["rates"] as? Map<String, Double>
        parcel?["rates"] = Dictionary(
          uniqueKeysWithValues: (rates.map(Array.init) ?? []).map { ($0.key, Int($0.value)) })
      }
      if crosses(5) { parcel?["tags"] = was?["tags"] }
    }
  }

  /// Fills the store, which is new.
  func fill() throws {
    let realm = try Realm(configuration: configuration)
    let facts = SurveyFacts(version: version, origin: version)
    try realm.write {
      for name in ["Owner", "Photo", "Parcel"] {
        for object in facts.objects[name] ?? [] {
          let value = object.mapValues { member in
            member.value { key in
              realm.dynamicObject(ofType: "Owner", forPrimaryKey: key.value { _ in nil } ?? "")
            }
          }
          realm.dynamicCreate(name, value: value)
        }
      }
    }
  }

  /// What the store holds, by class; objects that others hold are in their owners.
  func contents() throws -> [String: [[String: Plain]]] {
    let realm = try Realm(configuration: configuration)
    var contents: [String: [[String: Plain]]] = [:]
    for name in ["Owner", "Photo", "Parcel"] where realm.schema[name] != nil {
      contents[name] = realm.dynamicObjects(name).map(Plain.members)
    }
    return contents
  }
}

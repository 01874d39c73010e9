import Cadastre
import Testing

/// A property whose type changes: the values without a migration block, and with one.
struct TypeChange: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// Migrates a store with the old values, and compares.
  let check: @Sendable () throws -> Void

  /// A change between types of single values.
  ///
  /// - Parameters:
  ///   - name: The name of the case.
  ///   - old: The values before.
  ///   - automatic: The values that a migration without a block leaves.
  ///   - converted: The values that the block leaves.
  ///   - convert: The value for a new object, from the value that the old object has.
  init<Old: Persistable & Sendable, New: Persistable & Sendable>(
    _ name: String, _ old: [Old], automatic: [New], converted: [New],
    by convert: @escaping @Sendable (Any?) -> Any?
  ) {
    self.init(
      name, from: Old.self, to: New.self, old, automatic: automatic.map { "\($0)" },
      converted: converted.map { "\($0)" }, by: convert)
  }

  /// A change between any types, of values as `init(value:)` takes them, to values as text.
  init<Old: Persistable & SendableMetatype, New: Persistable & SendableMetatype>(
    _ name: String, from: Old.Type, to: New.Type, _ old: [any Sendable], automatic: [String],
    converted: [String], by convert: @escaping @Sendable (Any?) -> Any?
  ) {
    testDescription = name
    check = {
      try Self.migrate(from, to, old, block: nil) { #expect($0 == automatic) }
      try Self.migrate(from, to, old) { migration, _ in
        migration.enumerateObjects(ofType: "Holder") { old, new in
          new?["value"] = convert(old?["value"])
        }
      } _: {
        #expect($0 == converted)
      }
    }
  }

  private static func migrate<Old: Persistable, New: Persistable>(
    _ from: Old.Type, _ to: New.Type, _ values: [any Sendable], block: ThrowingMigrationBlock?,
    _ check: ([String]) -> Void
  ) throws {
    let releases = try Releases()
    try releases.write(1, [Holder<Old>.self]) { realm in
      for value in values { realm.create(Holder<Old>.self, value: ["value": value]) }
    }
    try releases.open(2, [Holder<New>.self], block) { realm in
      check(realm.objects(Holder<New>.self).map { text($0.value) })
    }
  }

  private static func text(_ value: Any) -> String {
    switch value {
    case let list as List<Int>: "\(Array(list))"
    case let list as List<String>: "\(Array(list))"
    case let set as MutableSet<Int>: "\(Array(set).sorted())"
    case let map as Map<String, Int>: "\(map.map { "\($0.key)\($0.value)" })"
    default: "\(value)"
    }
  }

  /// One value.
  class Holder<Value: Persistable>: ReleaseObject {
    @Persisted var value: Value

    override class func className() -> String { "Holder" }
  }
}

import Foundation
import Testing

@testable import Cadastre

/// The features of the Swift runtime that the library checks, and their fallbacks.
///
/// `Scripts/test-fallbacks` runs the core of the tests once with each fallback forced.
@Suite struct RuntimeTests {
  private static let forced =
    ProcessInfo.processInfo.environment["CADASTRE_RUNTIME_FALLBACKS"] ?? ""

  final class Described: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = "default"
    @Persisted var inner: DescribedInner?
  }

  final class DescribedInner: EmbeddedObject {
    @Persisted var number = 1
  }

  /// A class with a stored property of its own, whose instances are made by `init()` on every path.
  final class WithPlainFields: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    var scratch = [1, 2, 3]
    let created = "made by init"
  }

  private func realm() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Described.self, DescribedInner.self, WithPlainFields.self]))
  }

  @Test func `every feature is there, unless a fallback is forced`() {
    #expect(RuntimeFeatures.listsClasses == !Self.forced.contains("classes"))
    #if canImport(ObjectiveC)
      #expect(!RuntimeFeatures.copiesInstances)
      #expect(RuntimeFeatures.countsOfSoleReference == nil)
    #else
      #expect(RuntimeFeatures.copiesInstances == !Self.forced.contains("instances"))
      #expect(
        (RuntimeFeatures.countsOfSoleReference == nil)
          == (Self.forced.contains("counts") || Self.forced.contains("instances")))
    #endif
    #expect(RuntimeFeatures.retainsUnowned == !Self.forced.contains("references"))
    #expect(RuntimeFeatures.knowsExecutor == !Self.forced.contains("executors"))
  }

  @Test func `without a list of classes a configuration must name them`() throws {
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    guard !RuntimeFeatures.listsClasses else {
      #expect(ClassDiscovery.allClasses().contains { $0 == Described.self })
      #expect(!ClassDiscovery.defaultClasses.contains { $0 == RuntimeProbe.self })
      return
    }
    let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
    #expect(error?.code == .invalidInput)
    #expect(error?.description.contains("name them in objectTypes") == true)
  }

  @Test func `objects and their members read and write alike on every path`() throws {
    let realm = try realm()
    try realm.write {
      for id in 0..<100 {
        realm.create(
          Described.self, value: ["id": id, "name": "n\(id)", "inner": ["number": id * 2]])
      }
    }
    let objects = realm.objects(Described.self)
    #expect(objects.map(\.name) == (0..<100).map { "n\($0)" })
    #expect(objects.compactMap { $0.inner?.number } == (0..<100).map { $0 * 2 })
    try realm.write {
      for object in objects { object.name += "!" }
      objects.first?.inner = DescribedInner(value: ["number": -1])
    }
    #expect(objects.allSatisfy { $0.name.hasSuffix("!") } && objects.first?.inner?.number == -1)
    #expect(objects.freeze()[3].name == "n3!")
  }

  @Test func `stored properties of a program's own have their initial values on every path`() throws
  {
    let realm = try realm()
    try realm.write { realm.create(WithPlainFields.self, value: ["id": 1, "name": "one"]) }
    let object = try #require(realm.object(ofType: WithPlainFields.self, forPrimaryKey: 1))
    #expect(
      object.scratch == [1, 2, 3] && object.created == "made by init" && object.name == "one")
    object.scratch.append(4)
    let again = try #require(realm.objects(WithPlainFields.self).first)
    #expect(again.scratch == [1, 2, 3])
  }

  @Test func `a released Realm is opened again, and a retained one is shared`() throws {
    let identifier = UUID().uuidString
    let configuration = Realm.Configuration(
      inMemoryIdentifier: identifier, objectTypes: [Described.self, DescribedInner.self])
    weak var released: RealmCore?
    do {
      let realm = try Realm(configuration: configuration)
      #expect(try Realm(configuration: configuration) == realm)
      if !RuntimeFeatures.retainsUnowned { released = realm.core }
    }
    #expect(released == nil)
    _ = try Realm(configuration: configuration)
  }
}

import Cadastre
import CadastreTestSupport
import Foundation
import Testing
import TestingSupport

/// The version that a Realm reads after its own write, while others commit: it moves by a refresh only.
@Suite struct VersionAfterWriteTests {
  /// The end of a write.
  enum Ending: CaseIterable { case committed, empty, cancelled, thrown }

  private struct Failure: Error {}

  private func write(_ ending: Ending, in realm: Realm) throws {
    switch ending {
    case .committed: try realm.write { _ = realm.create(Mate.self, value: ["id": 1]) }
    case .empty: try realm.write {}
    case .cancelled:
      realm.beginWrite()
      realm.create(Mate.self, value: ["id": 2])
      realm.cancelWrite()
    case .thrown:
      #expect(throws: Failure.self) {
        try realm.write {
          realm.create(Mate.self, value: ["id": 3])
          throw Failure()
        }
      }
    }
  }

  @Test(arguments: Ending.allCases, [false, true])
  func `a Realm stays at the version of its write until it refreshes`(
    ending: Ending, isObserved: Bool
  ) throws {
    let reader = try Corner(MarinaWriter.configuration())
    try reader.enter { realm in
      realm.autorefresh = false
      var changes = 0
      let mates = realm.objects(Mate.self)
      #expect(mates.isEmpty)
      let token =
        isObserved ? realm.observe { kind, _ in changes += kind == .didChange ? 1 : 0 } : nil
      try write(ending, in: realm)
      let count = ending == .committed ? 1 : 0
      changes = 0
      let configuration = realm.configuration
      try onNewThread {
        let other = try Realm(configuration: configuration)
        try other.write { _ = other.create(Mate.self, value: ["id": 4]) }
      }
      #expect(mates.count == count)
      #expect(changes == 0)
      #expect(realm.refresh())
      #expect(mates.count == count + 1)
      #expect(changes == (isObserved ? 1 : 0))
      token?.invalidate()
    }
  }
}

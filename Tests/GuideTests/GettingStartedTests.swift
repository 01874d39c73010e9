import Cadastre
import Foundation
import Testing
import TestingSupport

/// The programs of `GettingStarted.md`, each in a process of its own with a folder of its own for data.
@Suite struct GettingStartedTests {
  enum First {
    class Place: Object {
      @Persisted(primaryKey: true) var name: String
      @Persisted var population = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    @MainActor static func run() throws {
      let realm = try Realm()
      try realm.write {
        let place = realm.create(Place.self, value: ["name": "Krems"], update: .modified)
        place.population += 25_000
      }
      for place in realm.objects(Place.self).where({ $0.population > 10_000 }) {
        print(place.name, place.population)
      }
    }
  }

  enum Second {
    class Location: EmbeddedObject {
      @Persisted var type = "Point"
      @Persisted var coordinates: List<Double>  // longitude, latitude

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Place: Object {
      @Persisted(primaryKey: true) var name: String
      @Persisted var population = 0
      @Persisted var location: Location?

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    /// Prints a line.
    ///
    /// The first state is followed by the change of the other terminal, the change by the end of the process.
    @MainActor static func print(_ items: Any...) {
      Swift.print(items.map { "\($0)" }.joined(separator: " "))
      switch items.first as? String {
      case "now:":
        Task { @MainActor in
          let realm = try Realm()
          try realm.write {
            realm.create(
              Place.self, value: ["name": "Graz", "location": ["coordinates": [16, 48]]],
              update: .modified)
          }
        }
      case "changed:": exit(EXIT_SUCCESS)
      default: break
      }
    }

    // swift-format-ignore: NeverForceUnwrap
    @MainActor static func run() async throws {
      Realm.Configuration.defaultConfiguration = Realm.Configuration(
        deleteRealmIfMigrationNeeded: true)
      // The process has the classes of all tests.
      Realm.Configuration.defaultConfiguration.objectTypes = [Place.self, Location.self]
      let realm = try Realm()
      try realm.write {
        realm.create(
          Place.self, value: ["name": "Krems", "location": ["coordinates": [15.6, 48.41]]],
          update: .modified)
        realm.create(
          Place.self, value: ["name": "Graz", "location": ["coordinates": [15.44, 47.07]]],
          update: .modified)
      }

      let vienna = GeoPoint(latitude: 48.21, longitude: 16.37)!
      let near = realm.objects(Place.self).where {
        $0.location.within(.kilometers(100)!, of: vienna)
      }
      for (place, distance) in near.withDistances(from: vienna) {
        print(place.name, Int(distance?.asKilometers() ?? 0), "km")
      }
      await observe(near)
    }

    @MainActor static func observe(_ near: Results<Place>) async {
      for await change in near.changes() {
        switch change {
        case .initial(let places): print("now:", places.values(of: \.name))
        case .update(let places, _, _, _): print("changed:", places.values(of: \.name))
        case .error(let error): print(error)
        }
      }
    }
  }

  @Test func `the programs print what the article says`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for number in 1...2 {
      let first = await #expect(
        processExitsWith: .success, observing: [\.standardOutputContent]
      ) { [path = folder.path as String] in
        setenv("XDG_DATA_HOME", path, 1)
        Realm.Configuration.defaultConfiguration = Realm.Configuration(
          objectTypes: [First.Place.self])
        try await First.run()
      }
      #expect(first?.standardOutputContent == Array("Krems \(25_000 * number)\n".utf8))
    }
    let second = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) { [path = folder.path as String] in
      setenv("XDG_DATA_HOME", path, 1)
      try await Second.run()
    }
    let output = String(decoding: second?.standardOutputContent ?? [], as: UTF8.self)
    #expect(
      output == "Krems 61 km\nnow: [\"Krems\"]\nchanged: [\"Krems\", \"Graz\"]\n", "\(output)")
  }

  @Test func `the article shows this code`() throws {
    try Article("GettingStarted.md").expectSamplesAreCompiled(count: 3) {
      !$0.hasPrefix("// swift-tools-version")
    }
  }
}

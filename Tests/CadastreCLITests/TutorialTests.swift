import Cadastre
import Foundation
import Testing
import TestingSupport

/// The code files of the tutorial, in `Tutorials/Resources` of the catalogue.
@Suite struct TutorialTests {
  private static let resources = "Sources/Cadastre/Cadastre.docc/Tutorials/Resources"

  private static func files(_ ending: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: Article.file(resources).path)
      .filter { $0.hasSuffix(ending) }.sorted()
  }

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: Article.file("\(resources)/\(name)"), encoding: .utf8)
  }

  /// The classes and the program of the tutorial.
  enum Program {
    class Location: EmbeddedObject {
      @Persisted var type = "Point"
      @Persisted var coordinates: List<Double>  // longitude, latitude

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Airport: Object {
      @Persisted(primaryKey: true) var icao: String
      @Persisted var iata: String?
      @Persisted var name: String
      @Persisted var city: String?
      @Persisted var subd: String?
      @Persisted(indexed: true) var country: String
      @Persisted var elevation: Double
      @Persisted var tz: String
      @Persisted var lid: String?
      @Persisted var location: Location?

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    /// The printed lines.
    @MainActor private static var lines: [String] = []

    /// Prints a line, and records it.
    @MainActor private static func print(_ items: Any...) {
      lines.append(items.map { "\($0)" }.joined(separator: " "))
      Swift.print(lines[lines.count - 1])
    }

    /// Waits until a line ends with a text, for two minutes at most: the machine may be busy.
    @MainActor private static func waitForLine(endingWith text: String) async throws {
      for _ in 0..<24_000 where !lines.contains(where: { $0.hasSuffix(text) }) {
        try await Task.sleep(for: .milliseconds(5))
      }
    }

    /// Runs the program until an airport was added to the result.
    @MainActor static func run() async throws {
      let store = URL(fileURLWithPath: "airports.cadastre")
      let realm = try Realm(
        configuration: Realm.Configuration(
          fileURL: store, objectTypes: [Airport.self, Location.self]))
      print(realm.objects(Airport.self).count, "airports")

      guard let center = GeoPoint(latitude: 48.8566, longitude: 2.3522),
        let radius = Distance.kilometers(100)
      else { fatalError("the center or the radius is out of range") }
      let paris = GeoCircle(center: center, radius: radius)
      let high = realm.objects(Airport.self).where {
        $0.location.geoWithin(paris) && $0.elevation > 300
      }
      for airport in high.sorted(by: \.name) {
        print(airport.icao, airport.name, airport.elevation)
      }

      print(high.explain())

      let nearest = realm.objects(Airport.self).where { $0.iata != nil }.nearest(5, to: center)
      for (airport, distance) in nearest.withDistances(from: center) {
        print(airport.name, distance?.asKilometers() ?? .nan, "km")
      }

      let count = high.count
      let watching = Task { try await watch(high) }
      try await waitForLine(endingWith: "airports at first")
      let update = try ShellSample()
      let outcome = try update.run(
        text("airports-update.sh").replacing("airports.cadastre", with: store.path))
      precondition(outcome.status == 0, outcome.stdout)
      try await waitForLine(endingWith: "Test Field")
      watching.cancel()
      precondition(high.count == count + 1)
    }

    @MainActor private static func watch(_ high: Results<Airport>) async throws {
      for await change in high.changes() {
        switch change {
        case .initial(let airports): print(airports.count, "airports at first")
        case .update(let airports, _, let insertions, _):
          for index in insertions { print("new:", airports[index].name) }
        case .error: break
        }
      }
    }
  }

  @Test func `the commands make the store of the tutorial`() throws {
    let shell = try ShellSample()
    for name in ["airports-import.sh", "airports-schema.sh", "airports-query.sh"] {
      let lines = try Self.text(name).split(separator: "\n")
      let commands = lines.filter { $0.hasPrefix("cadastre ") }.joined(separator: "\n")
      let outcome = try shell.run(commands)
      #expect(outcome.status == 0, "\(outcome.stdout)")
      let shown = lines.filter { $0.hasPrefix("# ") }.map { $0.dropFirst(2) + "\n" }.joined()
      if shown.isEmpty { continue }
      #expect(
        ShellSample.withoutTimes(outcome.stdout) == ShellSample.withoutTimes(shown), "\(name)")
    }
  }

  @Test func `the program finds airports and reports a new one`() async throws {
    let scratch = try Scratch()
    _ = try scratch.airportsStore()
    // In a process of its own, because the program opens a file in the working directory.
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent, \.standardErrorContent]
    ) { [folder = scratch.url.path as String] in
      precondition(FileManager.default.changeCurrentDirectoryPath(folder))
      try await Program.run()
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    let messages = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!messages.contains("Fatal error"), "\(messages)")
    let found = Airports.all.filter {
      $0.angle(toLongitude: 2.3522, latitude: 48.8566) <= 100_000 / 6_378_100
        && $0.elevation > 300
    }
    for airport in found {
      #expect(output.contains("\(airport.icao) \(airport.name) \(airport.elevation)\n"))
    }
    for line in [
      "28298 airports\n", "Filter elevation > 300.0\n└─ SpatialSearch Airport.location within",
      "Orly", "\(found.count) airports at first\n", "new: Test Field\n",
    ] {
      #expect(output.contains(line), "\(output)")
    }
  }

  @Test func `the tutorial shows this code`() throws {
    let files = try Self.files(".swift").filter { $0 != "airports-package.swift" }
    #expect(files.count == 7)
    for file in files {
      try Article(file, in: Self.resources).expectIsCompiled(try Self.text(file))
    }
    let tutorial = try String(
      contentsOf: Article.file("Sources/Cadastre/Cadastre.docc/Tutorials/Airports.tutorial"),
      encoding: .utf8)
    for file in try Self.files(".swift") + Self.files(".sh") {
      #expect(tutorial.contains("file: \"\(file)\""))
    }
  }

  @Test func `the package of the tutorial names a product`() throws {
    let manifest = try String(contentsOf: Article.file("Package.swift"), encoding: .utf8)
    #expect(manifest.contains(".library(name: \"Cadastre\", targets: [\"Cadastre\"])"))
    #expect(
      try Self.text("airports-package.swift")
        .contains(".product(name: \"Cadastre\", package: \"cadastre\")"))
  }
}

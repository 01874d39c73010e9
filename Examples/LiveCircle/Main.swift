import Cadastre
import Foundation

/// Boats move past a harbour, and the harbour says which enter and leave a circle of 5 km round it.
@main
struct LiveCircle {
  static func main() async throws {
    let configuration = Realm.Configuration(
      inMemoryIdentifier: "boats", objectTypes: [Boat.self, Position.self])
    guard let harbour = GeoPoint(latitude: 53.5413, longitude: 9.9665),
      let radius = Distance.kilometers(5)
    else { return }
    let circle = GeoCircle(center: harbour, radius: radius)

    // Retained, because a store in memory is deleted with its last Realm.
    let realm = try await Realm.open(configuration: configuration)
    let speeds = ["Aurora": 4.0, "Bounty": 5.0, "Calypso": 6.0]
    try realm.write {
      for name in speeds.keys.sorted() { realm.create(Boat.self, value: ["name": name]) }
    }

    let (ready, start) = AsyncStream.makeStream(of: Void.self)
    // Each boat comes in and goes out again.
    let watching = Task {
      try await Harbour(configuration, circle).watch(changes: 2 * speeds.count) { start.yield() }
    }
    for await _ in ready { break }
    for minute in 0..<24 {
      try await realm.asyncWrite {
        for boat in realm.objects(Boat.self) {
          // From 10 km west of the harbour to the east, so many km in ten minutes.
          let kilometres = -10 + Double(minute) / 5 * (speeds[boat.name] ?? 0)
          boat.position = Position(
            longitude: harbour.longitude + kilometres / 66.3, latitude: harbour.latitude)
        }
      }
      try await Task.sleep(for: .milliseconds(40))
    }
    watching.cancel()
    try await watching.value
  }
}

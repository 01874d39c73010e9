import Cadastre

/// Observes a circle: an actor with a Realm of its own, and live results.
actor Harbour {
  private let configuration: Realm.Configuration
  private let circle: GeoCircle

  init(_ configuration: Realm.Configuration, _ circle: GeoCircle) {
    self.configuration = configuration
    self.circle = circle
  }

  /// Prints which boats enter and leave the circle, until there have been so many changes.
  func watch(changes most: Int, _ isReady: @Sendable () -> Void) async throws {
    let realm = try await Realm.open(configuration: configuration)
    let inside = realm.objects(Boat.self).where { $0.position.geoWithin(circle) }
    // Deletions are reported as indexes before the change, so the names are stored.
    var names: [String] = []
    var count = 0
    for await change in inside.changes() {
      switch change {
      case .initial(let boats):
        print(
          "inside at first: \(boats.isEmpty ? "nobody" : boats.map(\.name).joined(separator: ", "))"
        )
        isReady()
      case .update(let boats, let deletions, let insertions, _):
        for index in deletions { print("  - \(names[index]) left") }
        for index in insertions { print("  + \(boats[index].name) entered") }
        count += deletions.count + insertions.count
      case .error: break
      }
      names = inside.map(\.name)
      if count >= most { return }
    }
  }
}

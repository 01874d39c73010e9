import Cadastre

class Spot: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>
}

class Harbour: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name = ""
}

class Boat: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name = ""
  @Persisted var length = 0
  @Persisted(indexed: true) var number = 0
  @Persisted var harbour: Harbour?
  @Persisted var place: Spot?
}

extension Boat {
  static func name(_ id: Int) -> String { "Boat \(id * 7919 % 1000) of the northern line" }
  static func length(_ id: Int) -> Int { id * 31 % 400 }

  /// Creates the boat with a number; its content depends on that number only.
  convenience init(_ id: Int, in harbour: Harbour) {
    self.init()
    self.id = id
    name = Self.name(id)
    length = Self.length(id)
    number = id * 7919 % Fleet.boats
    self.harbour = harbour
    let spot = Spot()
    spot.coordinates.append(
      objectsIn: [Double(id % 100) * 3.6 - 180, Double(id / 100 % 180) - 25])
    place = spot
  }
}

import CadastreModel

extension Fleet {
  /// Returns random harbors, trips and boats, with collections of all lengths.
  package static func random(
    harbors: Int, trips: Int, boats: Int, _ random: inout SeededGenerator
  ) -> PlainObjects {
    var maker = FleetMaker(harbors: harbors, trips: trips, boats: boats)
    var objects = PlainObjects(schema: schema)
    for number in 0..<harbors { objects.insert("Harbor", maker.harbor(number, &random)) }
    for _ in 0..<trips { objects.insert("Trip", maker.trip(&random)) }
    for number in 0..<boats { objects.insert("Boat", maker.boat(number, &random)) }
    return objects
  }
}

/// A generator of objects of the fleet.
private struct FleetMaker {
  let harbors: Int
  let trips: Int
  let boats: Int

  mutating func harbor(_ number: Int, _ random: inout SeededGenerator) -> PlainObject {
    var harbor = plain("Harbor", &random)
    harbor["code"] = .value(.string("H\(number)"))
    harbor["site"] = random.oneIn(4) ? nil : .embedded(spot(&random))
    harbor["buoys"] = .embeddedList((0..<length(&random)).map { _ in spot(&random) })
    return harbor
  }

  mutating func trip(_ random: inout SeededGenerator) -> PlainObject {
    var trip = plain("Trip", &random)
    trip["to"] = .value(link(harbors, &random))
    trip["stops"] = .list((0..<length(&random)).map { _ in random.value(.string) })
    return trip
  }

  mutating func boat(_ number: Int, _ random: inout SeededGenerator) -> PlainObject {
    var boat = plain("Boat", &random)
    boat["id"] = .value(.int(Int64(number)))
    boat["berth"] = .value(link(harbors, &random))
    boat["escort"] = .value(link(boats, &random))
    boat["marks"] = .list((0..<length(&random)).map { _ in random.value(.int) })
    boat["notes"] = .list(
      (0..<length(&random)).map { _ in random.oneIn(4) ? .null : random.value(.string) })
    boat["flags"] = .list((0..<length(&random)).map { _ in random.value(.string) })
    boat["specs"] = .map(map(&random) { any(&$0) })
    boat["mates"] = .map(map(&random) { link(boats, &$0) })
    boat["trips"] = .list(
      (0..<length(&random)).map { _ in .link(ObjectKey(Int64(random.below(trips)) + 1)) })
    boat["extra"] = .value(any(&random))
    return boat
  }

  // MARK: Members

  /// Returns the single values of a class.
  private func plain(_ className: String, _ random: inout SeededGenerator) -> PlainObject {
    var object: PlainObject = [:]
    for property in Fleet.schema[className]?.properties ?? []
    where property.collection == nil && property.type != .object && property.type != .any {
      if property.isOptional, random.oneIn(4) { continue }
      object[property.name] = .value(random.value(property.type))
    }
    return object
  }

  private func spot(_ random: inout SeededGenerator) -> PlainObject {
    let coordinates: [Double] =
      random.oneIn(6)
      ? random.pick([[], [1], [400, 2], [3, 4, 5]])
      : [Double(random.below(80)) / 2, Double(random.below(80)) / 2]
    return [
      "type": .value(.string(random.oneIn(8) ? "point" : "Point")),
      "coordinates": .list(coordinates.map(Value.double)),
    ]
  }

  private func length(_ random: inout SeededGenerator) -> Int {
    random.pick([0, 0, 1, 1, 2, 2, 3, 5, 9])
  }

  private func link(_ count: Int, _ random: inout SeededGenerator) -> Value {
    random.oneIn(4) ? .null : .link(ObjectKey(Int64(random.below(count)) + 1))
  }

  private func map(
    _ random: inout SeededGenerator, _ value: (inout SeededGenerator) -> Value
  ) -> ValueMap {
    let keys = ["hp", "color", "left", "right", "k", "le'ft", "Ärm", ""]
    return ValueMap(
      (0..<length(&random)).map { _ in (random.pick(keys), value(&random)) })
  }

  /// Returns a value of any type, including links, also within lists and maps.
  private func any(_ random: inout SeededGenerator, depth: Int = 0) -> Value {
    switch random.below(10) {
    case 0, 1: return address(&random)
    case 2 where depth < 3:
      return .list((0..<random.below(4)).map { _ in any(&random, depth: depth + 1) })
    case 3 where depth < 3:
      let keys = ["k", "b", "hp", "name"]
      return .map(
        ValueMap(
          (0..<random.below(4)).map { _ in (random.pick(keys), any(&random, depth: depth + 1)) }))
    default: return random.value(.any)
    }
  }

  private func address(_ random: inout SeededGenerator) -> Value {
    let (className, count) = random.pick([("Boat", boats), ("Harbor", harbors), ("Trip", trips)])
    return .object(
      ObjectAddress(className: className, key: ObjectKey(Int64(random.below(count)) + 1)))
  }
}

import Foundation
import Testing

/// The commands that rename, copy and remove classes and fields.
@Suite struct SchemaEditTests {
  private let predicate = "location GEOWITHIN geoCircle([2.3522, 48.8566], 0.0157)"

  @Test func `renamed classes and fields keep objects and indexes`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore()
    let before = try succeed("query", store, "Airport", predicate, "--format", "csv").lines

    for (names, message) in [
      (["Airport", "elevation", "height"], "Airport.elevation to height"),
      (["Airport", "icao", "code"], "Airport.icao to code"),
      (["Airport", "country", "land"], "Airport.country to land"),
      (["Airport", "location", "place"], "Airport.location to place"),
      (["Location", "Spot"], "Location to Spot"), (["Airport", "airport"], "Airport to airport"),
    ] {
      #expect(try Program.run(["rename", store] + names).stderr == "renamed \(message)\n")
      #expect(try succeed("check", store).stdout == "ok\n")
    }
    let next = predicate.replacing("location", with: "place")
    let after = try succeed("query", store, "airport", next, "--format", "csv").lines
    #expect(after.dropFirst() == before.dropFirst())
    #expect(after[0] == "code,iata,name,city,subd,land,height,tz,lid,longitude,latitude")
    let plan = try succeed("explain", store, "airport", next).stdout
    #expect(plan.contains("SpatialSearch airport.place"))
    #expect(
      try succeed("explain", store, "airport", "land == 'FR'").stdout.contains(
        "IndexSearch airport.land"))
    #expect(try succeed("schema", store).stdout.contains("  code: string, primary key\n"))
    // The old name is free again.
    try succeed("import", Airports.csv, "--store", store, "--into", "Airport", "--limit", "3")
    #expect(try succeed("check", store).stdout == "ok\n")
  }

  @Test func `copies are independent of their originals`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore()
    try succeed("copy", store, "Airport", "country", "land")
    try succeed("copy", store, "Airport", "location", "place")
    try succeed("copy", store, "Airport", "icao", "code")
    #expect(
      try succeed("copy", store, "Airport", "Backup").stderr
        == "copied Airport with 28,298 objects to Backup\n")
    try succeed("set", store, "Airport", "TRUEPREDICATE", "country=XX", "location=0,0")

    for (predicate, count) in [
      ("land == 'FR'", Airports.all.filter { $0.country == "FR" }.count),
      (self.predicate.replacing("location", with: "place"), 42), ("code == icao", 28_298),
    ] {
      for (name, indexes) in [("Airport", "on"), ("Airport", "off"), ("Backup", "on")] {
        #expect(
          try succeed(
            "query", store, name, predicate, "--format", "count", "--indexes", indexes
          ).stdout == "\(count)\n")
      }
    }
    #expect(
      try succeed("query", store, "Backup", self.predicate, "--format", "count").stdout == "42\n")
    #expect(try succeed("check", store).stdout == "ok\n")
  }

  @Test func `lists and embedded objects are renamed, copied and removed`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let file = try scratch.csv(
      #"{"id":1,"a":{"c":"Oslo","l":[1,2]},"i":[{"x":1},{"x":2}],"t":["a","b"]}"# + "\n"
        + #"{"id":2,"a":null,"i":[],"t":["c"]}"# + "\n", "t.ndjson")
    try succeed("import", file, "--store", store, "--into", "N", "--pk", "id")
    try fail("copy", store, "N", "i", "j", saying: "'i' contains embedded objects")
    for names in [["N", "a", "b"], ["N", "t", "u"]] {
      #expect(try Program.run(["copy", store] + names).status == 0)
    }
    for names in [["NA", "c", "city"], ["NI", "Item"], ["N", "i", "items"], ["N", "Z"]] {
      #expect(try Program.run(["rename", store] + names).status == 0)
    }

    #expect(
      try succeed("query", store, "Z", "--format", "ndjson").stdout
        == #"{"id":1,"a":{"city":"Oslo","l":[1,2]},"b":{"city":"Oslo","l":[1,2]},"#
        + #""items":[{"x":1},{"x":2}],"t":["a","b"],"u":["a","b"]}"# + "\n"
        + #"{"id":2,"a":null,"b":null,"items":[],"t":["c"],"u":["c"]}"# + "\n")
    #expect(try succeed("check", store).stdout == "ok\n")
    try succeed("drop", store, "Z", "items")
    #expect(!(try succeed("schema", store).stdout.contains("Item")))
    try succeed("copy", store, "Z", "Y")
    #expect(try succeed("drop", store, "Z").stderr == "dropped Z with 2 objects\n")
    #expect(
      try succeed("query", store, "Y", "--format", "ndjson").stdout
        == #"{"id":1,"a":{"city":"Oslo","l":[1,2]},"b":{"city":"Oslo","l":[1,2]},"#
        + #""t":["a","b"],"u":["a","b"]}"# + "\n"
        + #"{"id":2,"a":null,"b":null,"t":["c"],"u":["c"]}"# + "\n")
    #expect(try succeed("check", store).stdout == "ok\n")
    try succeed("drop", store, "Y")
    #expect(try succeed("schema", store).stdout == "")
  }

  @Test func `embedded objects with rows of their own are copied with their class`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let file = try scratch.csv(
      #"{"id":1,"i":[{"x":1,"k":[{"y":1},{"y":2}]},{"x":2,"k":[]}],"a":{"l":[{"z":3}]},"t":["a"]}"#
        + "\n" + #"{"id":2,"i":[],"a":null,"t":["b","b"]}"# + "\n", "t.ndjson")
    try succeed("import", file, "--store", store, "--into", "N", "--pk", "id")
    let objects = try succeed("query", store, "N", "--format", "ndjson").stdout
    #expect(try succeed("copy", store, "N", "M").stderr == "copied N with 2 objects to M\n")
    #expect(try succeed("query", store, "M", "--format", "ndjson").stdout == objects)
    #expect(try succeed("check", store).stdout == "ok\n")

    try succeed("delete", store, "N", "TRUEPREDICATE")
    #expect(try succeed("query", store, "M", "--format", "ndjson").stdout == objects)
    #expect(
      try succeed("query", store, "M", "ANY i.k.y == 2", "--format", "count").stdout == "1\n")
    #expect(try succeed("check", store).stdout == "ok\n")
    try succeed("drop", store, "N")
    try succeed("drop", store, "M")
    #expect(try succeed("schema", store).stdout == "")
  }

  @Test func `invalid changes leave the store as it is`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore()
    let before = try scratch.bytes("airports.cadastre")

    try fail("rename", store, "Airport", "nam", "x", saying: "did you mean 'name'?")
    try fail("rename", store, "Airprt", "X", saying: "did you mean 'Airport'?")
    try fail("rename", store, "Airport", "name", "city", saying: "has a field 'city' already")
    try fail("rename", store, "Airport", "name", "a.b", saying: "no full stop")
    try fail("rename", store, "Airport", "name", "#a", saying: "'#'")
    try fail("rename", store, "Airport", "Location", saying: "a class 'Location' already")
    try fail("rename", store, "Airport", "", saying: "1 to")
    try fail("rename", store, "Airport", saying: "<name>", status: 64)
    try fail("rename", store, "Airport", "a", "b", "c", saying: "NEW-NAME", status: 64)
    try fail("copy", store, "Airport", "name", "city", saying: "has a field 'city' already")
    try fail("drop", store, "Airport", "nam", saying: "did you mean 'name'?")
    try fail("drop", store, "Location", saying: "there is no class 'Location'")
    try fail("drop", store + "x", "Airport", saying: "there is no store")
    #expect(try scratch.bytes("airports.cadastre") == before)
  }
}

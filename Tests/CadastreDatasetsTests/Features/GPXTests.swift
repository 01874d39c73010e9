import Testing

@testable import CadastreDatasets

@Suite struct GPXTests {
  private let files: FeatureImport
  private static let text = """
    <?xml version="1.0" encoding="ISO-8859-1"?>
    <gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1" xmlns:g="urn:g">
    <metadata><name>m</name></metadata>
    <wpt lat="48.86" lon="2.35"><ele>35.5</ele><time>2020-05-01T10:00:00Z</time>
    <name>Caf\u{E9}</name><sat>7</sat><link href="http://example.com/"><text>t</text></link></wpt>
    <rte><name>R</name><number>3</number><rtept lat="0" lon="0"/><rtept lat="1" lon="1"/></rte>
    <trk><name>T</name><trkseg><trkpt lat="0" lon="10"><ele>1</ele>
    <extensions><g:x><g:hr>90</g:hr></g:x></extensions></trkpt><trkpt lat="1" lon="11"/></trkseg>
    <trkseg><trkpt lat="5" lon="5"/></trkseg></trk>
    </gpx>
    """

  init() throws { files = try FeatureImport() }

  private func objects(layer: String?) throws -> [String] {
    // ISO 8859-1 has one byte for each of the first 256 scalars.
    let path = try files.file("a.gpx", Self.text.unicodeScalars.map { UInt8($0.value) })
    return try files.objects(path) { $0.layer = layer }.objects
  }

  @Test func `waypoints, routes and tracks have a kind`() throws {
    #expect(
      try objects(layer: nil) == [
        #"{"kind":"waypoint","ele":35.5,"time":"2020-05-01T10:00:00Z","name":"Café","sat":7,"#
          + #""link":"http://example.com/","number":null,"#
          + #""geometry":{"type":"Point","coordinates":[2.35,48.86,35.5]}}"#,
        #"{"kind":"route","ele":null,"time":null,"name":"R","sat":null,"link":null,"number":3,"#
          + #""geometry":{"type":"LineString","coordinates":[[0.0,0.0],[1.0,1.0]]}}"#,
        #"{"kind":"track","ele":null,"time":null,"name":"T","sat":null,"link":null,"number":null,"#
          + #""geometry":{"type":"MultiLineString","coordinates":[[[10.0,0.0,1.0],[11.0,1.0]]]}}"#,
      ])
  }

  @Test(arguments: [
    ("waypoints", 1), ("routes", 1), ("tracks", 1), ("route_points", 2), ("track_points", 3),
  ])
  func `a layer has the features of one kind`(layer: String, count: Int) throws {
    let objects = try objects(layer: layer)
    #expect(objects.count == count)
    let isPoints = layer.hasSuffix("points")
    #expect(objects.count { $0.contains("\"location\":") == isPoints } == count)
    if layer == "track_points" {
      #expect(objects[0].hasPrefix(#"{"ele":1,"g_hr":"90","location":"#))
    }
  }

  private func waypoint(fields: Int) -> String {
    "<wpt lat=\"1.5\" lon=\"2.5\"><extensions>"
      + String(repeating: "<x>1</x>", count: fields) + "</extensions></wpt>\n"
  }

  @Test func `equal names in a feature get numbers`() throws {
    let path = try files.file("a.gpx", "<gpx>\(waypoint(fields: 3))</gpx>".utf8)

    #expect(
      try files.objects(path).objects == [
        #"{"kind":"waypoint","x":"1","x_2":"1","x_3":"1","#
          + #""location":{"type":"Point","coordinates":[2.5,1.5]}}"#
      ])
  }

  // The names of 20,000 equal fields took 18 seconds.
  @Test func `a feature with more fields than a class can have is rejected`() throws {
    let points = [1, 20_000, 1].map { waypoint(fields: $0) }.joined()
    let text = "<gpx>\n\(points)</gpx>"
    let path = try files.file("a.gpx", text.utf8)

    let (report, objects) = try files.objects(path) { $0.maximumRejects = 1 }
    #expect(objects.count == 2 && report.rejects.map(\.line) == [3])
    #expect(
      try files.message("b.gpx", text.utf8)
        .contains("line 3: found 20,001 columns; a class has 2,000 at most"))
  }

  @Test func `an unknown layer is an error`() throws {
    let message = try files.message("a.gpx", Self.text.utf8) { $0.layer = "lakes" }
    #expect(message.contains("lakes") && message.contains("track_points"))
  }

  @Test(arguments: ["lat=\"1\"", "lat=\"x\" lon=\"1\"", "lat=\"1\" lon=\"inf\""])
  func `a point without coordinates is rejected`(attributes: String) throws {
    let text = "<gpx><wpt lat=\"1\" lon=\"2\"/>\n<wpt \(attributes)/></gpx>"
    let message = try files.message("a.gpx", text.utf8)
    #expect(message.hasPrefix("a.gpx, line 2: the geometry is invalid"))
  }
}

import Testing

@testable import CadastreDatasets

@Suite struct KMLTests {
  private let files: FeatureImport

  init() throws { files = try FeatureImport() }

  private func objects(_ content: String) throws -> (report: ImportReport, objects: [String]) {
    try files.objects(try files.file("a.kml", document(content).utf8))
  }

  private func document(_ content: String) -> String {
    "<?xml version=\"1.0\"?>\n<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document>"
      + "<name>all</name>\(content)</Document></kml>"
  }

  @Test func `placemarks of points have fields and a location`() throws {
    let result = try objects(
      """
      <Placemark id="p1"><name>A &amp; B</name><description><![CDATA[<b>x</b>]]></description>
      <TimeSpan><begin>2020-05-01</begin><end>2020-05-02</end></TimeSpan>
      <Point><coordinates> 2.35,48.86,35 </coordinates></Point></Placemark>
      """)
    #expect(
      result.objects == [
        #"{"id":"p1","name":"A & B","description":"<b>x</b>","begin":"2020-05-01T00:00:00Z","#
          + #""end":"2020-05-02T00:00:00Z","location":{"type":"Point","coordinates":[2.35,48.86,35]}}"#
      ])
  }

  @Test func `folders, schemas and data are fields`() throws {
    let result = try objects(
      """
      <Schema id="s"><SimpleField type="int" name="lanes"/><SimpleField type="bool" name="toll"/>
      </Schema><Folder><name>Outer</name><Folder><name>Inner</name>
      <Placemark><name>N</name><ExtendedData><SchemaData schemaUrl="#s">
      <SimpleData name="lanes">2</SimpleData><SimpleData name="toll">1</SimpleData></SchemaData>
      <Data name="name"><value>7</value></Data></ExtendedData></Placemark></Folder></Folder>
      """)
    #expect(
      result.objects == [
        #"{"name":"N","folder":"Outer/Inner","lanes":2,"toll":true,"name_2":"7","location":null}"#
      ])
  }

  @Test(arguments: [
    ("<LineString><coordinates>0,0 1,1\n2,1</coordinates></LineString>", "LINESTRING"),
    (
      "<Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 9,0 9,9 0,0</coordinates>"
        + "</LinearRing></outerBoundaryIs><innerBoundaryIs><LinearRing><coordinates>"
        + "4,1 6,1 6,3 4,1</coordinates></LinearRing></innerBoundaryIs></Polygon>",
      "POLYGON"
    ),
    (
      "<MultiGeometry><Point><coordinates>1,2</coordinates></Point><Point><coordinates>3,4"
        + "</coordinates></Point></MultiGeometry>", "MULTIPOINT"
    ),
    (
      "<MultiGeometry><Point><coordinates>1,2</coordinates></Point><LineString><coordinates>0,0 1,1"
        + "</coordinates></LineString></MultiGeometry>", "GEOMETRYCOLLECTION"
    ),
    (
      "<gx:Track xmlns:gx=\"http://www.google.com/kml/ext/2.2\"><gx:coord>7 50 100</gx:coord>"
        + "<gx:coord>8 51 110</gx:coord></gx:Track>", "LINESTRING"
    ),
  ])
  func `other geometries become the property geometry`(element: String, type: String) throws {
    let objects = try objects("<Placemark>\(element)</Placemark>").objects
    let names = [
      "LINESTRING": "LineString", "POLYGON": "Polygon", "MULTIPOINT": "MultiPoint",
      "GEOMETRYCOLLECTION": "GeometryCollection",
    ]
    #expect(objects.count == 1)
    #expect(objects[0].hasPrefix(#"{"geometry":{"type":"\#(names[type] ?? "")""#))
    // The inner boundary is the second ring.
    if type == "POLYGON" { #expect(objects[0].contains("]],[[4.0,1.0]")) }
    if type == "LINESTRING", element.contains("Track") {
      #expect(objects[0].contains("[[7.0,50.0,100.0],[8.0,51.0,110.0]]"))
    }
  }

  @Test func `links and overlays are skipped with a notice`() throws {
    let result = try objects(
      "<NetworkLink><Link><href>http://example.com/</href></Link></NetworkLink>"
        + "<GroundOverlay><name>o</name></GroundOverlay><Placemark><name>a</name></Placemark>")
    #expect(result.objects.count == 1)
    #expect(
      result.report.notices.prefix(2) == [
        "KML elements 'GroundOverlay' are skipped", "KML elements 'NetworkLink' are skipped",
      ])
  }

  @Test(arguments: ["1,2,3,4", "1", "1,x", "nan,1", "1,,2"])
  func `an invalid position rejects its placemark with its line`(position: String) throws {
    let text = document(
      "\n<Placemark><Point><coordinates>0,0</coordinates></Point></Placemark>"
        + "\n<Placemark><Point><coordinates>\(position)</coordinates></Point></Placemark>")
    let message = try files.message("a.kml", text.utf8)
    #expect(message.hasPrefix("a.kml, line 4: the geometry is invalid: found"))
    let path = try files.file("b.kml", text.utf8)
    #expect(try files.objects(path) { $0.maximumRejects = 1 }.objects.count == 1)
  }

  @Test(arguments: [
    ("200,0", "longitude"), ("0,-91", "latitude"),
  ])
  func `a position out of range is rejected`(position: String, word: String) throws {
    let point = "<Placemark><Point><coordinates>\(position)</coordinates></Point></Placemark>"
    #expect(try files.message("a.kml", document(point).utf8).contains(word))
  }
}

import CadastreGeometry
import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

/// Files that differ from their format as files of other programs do: read with a note.
struct LenientImportTests {
  private let imports: FeatureImport

  init() throws { imports = try FeatureImport() }

  /// Imports a text; returns the objects as JSON and the notes.
  private func read(
    _ name: String, _ text: String, _ change: (inout ImportSettings) -> Void = { _ in }
  ) throws -> (objects: [String], notes: String) {
    let (report, objects) = try imports.objects(try imports.file(name, text.utf8), change)
    #expect(report.rejects.isEmpty)
    // `180.0` is printed as `180` here.
    return (
      objects.map { $0.replacing(/\.0(?=[,\]])/, with: "") },
      report.notices.joined(separator: "\n")
    )
  }

  // MARK: Coordinates

  @Test func `longitudes beyond 180 degrees by a rounding error become 180`() throws {
    let point = #"{"type":"Point","coordinates":[180.00000000000003,-90.00000000000001]}"#
    let line = #"{"type":"LineString","coordinates":[[-180.0000000001,0],[170,90.0000000001]]}"#
    let (objects, _) = try read("a.ndjson", "\(point)\n\(line)\n")
    #expect(objects[0].contains("[180,-90]"))
    #expect(objects[1].contains("[[-180,0],[170,90]]"))
    let table = try read("a.csv", "lon,lat\n180.0000000001,1\n")
    #expect(table.objects[0].contains("[180,1]"))
    for beyond in ["180.00000001", "-180.00000001"] {
      let message = try imports.message("b.csv", "lon,lat\n\(beyond),1\n".utf8)
      #expect(message.contains("--wrap takes it"), "\(message)")
    }
  }

  @Test func `wrap moves longitudes of other turns into the range`() throws {
    let polygon = #"{"type":"Polygon","coordinates":[[[170,0],[190,0],[190,5],[170,5],[170,0]]]}"#
    let (objects, _) = try read("a.ndjson", polygon) { $0.wrapsLongitudes = true }
    #expect(objects[0].contains("[[[170,0],[-170,0],[-170,5],[170,5],[170,0]]]"))
    for (name, text) in [
      ("a.csv", "lon,lat\n190,2\n-350,3\n"),
      ("b.ndjson", "{\"lon\":190,\"lat\":2}\n{\"lon\":-350,\"lat\":3}\n"),
      (
        "c.ndjson",
        #"{"type":"Point","coordinates":[190,2]}"# + "\n"
          + #"{"type":"Point","coordinates":[-350,3]}"#
      ),
    ] {
      let (points, _) = try read(name, text) { $0.wrapsLongitudes = true }
      #expect(points[0].contains("[-170,2]"), "\(points)")
      #expect(points[1].contains("[10,3]"), "\(points)")
    }
    let far = try imports.message("d.csv", "lon,lat\n600,2\n".utf8) { $0.wrapsLongitudes = true }
    #expect(!far.isEmpty)
  }

  @Test func `open rings are closed in all notations`() throws {
    let json = #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1]]]}"#
    let closed = "[[[0,0],[1,0],[1,1],[0,0]]]"
    let kml =
      "<kml><Placemark><Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 1,0 1,1</coordinates>"
      + "</LinearRing></outerBoundaryIs></Polygon></Placemark></kml>"
    for (name, text) in [
      ("a.ndjson", json), ("a.kml", kml), ("a.csv", "id,geometry\n1,\"POLYGON((0 0,1 0,1 1))\"\n"),
    ] {
      let (objects, notes) = try read(name, text)
      #expect(objects[0].contains(closed), "\(name): \(objects)")
      #expect(notes.contains("open rings were closed"), "\(name): \(notes)")
    }
    // Two positions are no ring.
    let short = #"{"type":"Polygon","coordinates":[[[0,0],[1,0]]]}"#
    #expect(try imports.message("b.ndjson", short.utf8).contains("ring"))
  }

  @Test func `arcs of curves become lines with an edge for each 4 degrees`() throws {
    var bytes: [UInt8] = [1, 8, 0, 0, 0, 3, 0, 0, 0]
    for number in [0.0, 0, 1, 1, 2, 0] {
      withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += Array($0) }
    }
    var changes: [GeometryConversion.Change] = []
    let conversion = GeometryConversion(onChange: { changes.append($0) })
    let geometry = try bytes.withUnsafeBytes { try Geometry(wkb: $0, converting: conversion) }
    #expect(changes == [.curve])
    guard case .lineString(let line) = geometry.shape else {
      Issue.record("found \(geometry)")
      return
    }
    // A half circle around [1, 0].
    #expect(line.count == 46)
    #expect(line.first?.longitude == 0 && line.last?.longitude == 2)
    for position in line {
      #expect(abs(hypot(position.longitude - 1, position.latitude) - 1) < 1e-12)
      #expect(position.latitude >= 0)
    }
    #expect(throws: GeometryTextError.self) { try Geometry(wkb: bytes) }
  }

  @Test func `joints of compound curves are one position, and huge arcs are refused or lines`()
    throws
  {
    func curve(_ type: UInt8, _ parts: [[Double]]) -> [UInt8] {
      var bytes: [UInt8] = [1, type, 0, 0, 0, UInt8(parts.count), 0, 0, 0]
      for part in parts {
        bytes += [1, 2, 0, 0, 0, UInt8(part.count / 2), 0, 0, 0]
        for number in part {
          withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += Array($0) }
        }
      }
      return bytes
    }
    let conversion = GeometryConversion(onChange: { _ in })
    let compound = curve(9, [[0, 0, 1, 1], [1, 1, 2, 2]])
    let line = try compound.withUnsafeBytes { try Geometry(wkb: $0, converting: conversion) }
    #expect(
      line.wkt == "LINESTRING (0 0, 1 1, 2 2)"
        || line.wkt == "LINESTRING (0.0 0.0, 1.0 1.0, 2.0 2.0)")
    var huge: [UInt8] = [1, 8, 0, 0, 0, 3, 0, 0, 0]
    for number in [0, 0, 1e120, 2e120, 3e120, -1e120] {
      withUnsafeBytes(of: number.bitPattern.littleEndian) { huge += Array($0) }
    }
    #expect(throws: GeometryTextError.self) {
      try huge.withUnsafeBytes { try Geometry(wkb: $0, converting: conversion) }
    }
  }

  @Test func `wrap applies to KML, and a limit reads the system at the end of GeoJSON`() throws {
    let kml = "<kml><Placemark><Point><coordinates>190,2</coordinates></Point></Placemark></kml>"
    #expect(try read("a.kml", kml) { $0.wrapsLongitudes = true }.objects[0].contains("[-170,2]"))
    guard CoordinateTransformation.libraryVersion != nil else { return }
    let feature =
      #"{"type":"Feature","properties":{"a":1},"geometry":{"type":"Point","coordinates":[10,20]}}"#
    let text =
      #"{"type":"FeatureCollection","features":[\#(feature),\#(feature)],"#
      + #""crs":{"type":"name","properties":{"name":"EPSG:3857"}}}"#
    let (objects, _) = try read("b.geojson", text) { $0.limit = 1 }
    #expect(objects.count == 1 && objects[0].contains("8.98"), "\(objects)")
  }

  // MARK: Tables

  @Test(arguments: [
    ("sep=;\na;b\n1;2\n", "the first line names the delimiter"),
    ("a,b\n1,2,\n3,4,,\n", "empty fields after the last column"),
    ("a,\"b\nc\"\n1,2\n3,4\n", "the line breaks in the name of column 2"),
    ("\u{FEFF}a,b\n1,2\n\u{FEFF}a,b\n3,4\n", "line 3 begins with a byte order mark"),
  ])
  func `tables as programs write them`(text: String, note: String) throws {
    let (objects, notes) = try read("a.csv", text)
    #expect(objects[0].hasPrefix(#"{"a":1,"b"#), "\(objects)")
    #expect(objects[0].hasSuffix(":2}"), "\(objects)")
    #expect(objects.count == (text.hasPrefix("sep") ? 1 : 2))
    #expect(notes.contains(note), "\(notes)")
  }

  @Test func `the delimiter divides all rows alike`() throws {
    let (objects, _) = try read("a.csv", "Id;Depth (7,4) x,y;Name\n1;3;Ana\n2;4;Bob\n")
    #expect(
      objects == [
        #"{"Id":1,"Depth (7,4) x,y":3,"Name":"Ana"}"#,
        #"{"Id":2,"Depth (7,4) x,y":4,"Name":"Bob"}"#,
      ])
    let (second, _) = try read("b.csv", "name;value, unit;note, free\nA;1,5;x\nB;2,5;y\n")
    #expect(second.count == 2)
  }

  @Test func `a separator at the ends of rows does not hide the delimiter`() throws {
    let (objects, _) = try read("a.csv", "id,name,a|b\n1,x,3|4,\n2,y,5|6,\n")
    #expect(objects[0] == #"{"id":1,"name":"x","a|b":"3|4"}"#)
    let (named, _) = try read("b.csv", "sep=;\na;b\n1;2\n") { $0.table.delimiter = ";" }
    #expect(named == [#"{"a":1,"b":2}"#])
  }

  @Test func `columns x and y that are no degrees are numbers`() throws {
    let (objects, notes) = try read("a.csv", "x,y,name\n100,200,a\n-5,3,b\n")
    #expect(objects[0] == #"{"x":100,"y":200,"name":"a"}"#)
    #expect(notes.contains("--location x,y with --crs"))
    let (points, none) = try read("b.csv", "x,y\n100,20\n")
    #expect(points[0].contains("[100,20]") && none.isEmpty)
  }

  @Test func `several texts mean null`() throws {
    let text = "a,b\n1,NA\n-,2\n,3\n"
    let (_, notes) = try read("a.csv", text)
    #expect(notes.contains("with --null '' --null '-' it is an int"), "\(notes)")
    let (objects, none) = try read("b.csv", text) { $0.nullTexts = ["", "NA", "-"] }
    #expect(objects == [#"{"a":1,"b":null}"#, #"{"a":null,"b":2}"#, #"{"a":null,"b":3}"#])
    #expect(!none.contains("null"))
    let hint = try imports.message("c.csv", "lon,lat\n1,N/A\n".utf8)
    #expect(hint.contains("with --null 'N/A' it is null"))
  }

  @Test func `more columns than a class can have are a table of the selected ones`() throws {
    let names = (1...2500).map { "c\($0)" }.joined(separator: ",")
    let row = (1...2500).map(String.init).joined(separator: ",")
    let (objects, _) = try read("a.csv", "\(names)\n\(row)\n") { $0.columns = ["c1", "c2400"] }
    #expect(objects == [#"{"c1":1,"c2400":2400}"#])
    #expect(try imports.message("b.csv", "\(names)\n\(row)\n".utf8).contains("2,500 columns"))
  }

  @Test func `binary data and UTF-16 without a mark are refused`() throws {
    let message = try imports.message("a.csv", "a,b\n1,2\n".utf16.flatMap { [UInt8($0), 0] })
    #expect(message.contains("--encoding utf-16le"), "\(message)")
    #expect(try imports.message("b.csv", "ab\0c,d\n1,2\n".utf8).contains("binary data"))
  }

  @Test func `long, empty and broken names become valid ones`() throws {
    let long = String(repeating: "ä", count: 40)
    let (objects, notes) = try read("a.ndjson", "{\"\(long)\":1,\"\":2,\"a\\nb\":3}")
    #expect(objects[0].contains("\"\(String(repeating: "ä", count: 31))\":1"), "\(objects)")
    #expect(objects[0].contains(#""field":2"#) && objects[0].contains(#""a b":3"#))
    #expect(notes.contains("becomes the property 'field'"))
    let same = String(repeating: "x", count: 70)
    let (three, _) = try read("b.ndjson", "{\"\(same)a\":1,\"\(same)b\":2,\"\(same)c\":3}")
    #expect(three[0].contains(":1,") && three[0].contains("_2\":2") && three[0].contains("_3\":3"))
  }

  @Test func `an unreadable geometry does not make a column points`() throws {
    let text = "id,wkt\n1,bad\n2,\"LINESTRING (0 0, 1 1)\"\n3,\"LINESTRING (0 0, 2 2)\"\n"
    let (report, objects) = try imports.objects(try imports.file("a.csv", text.utf8)) {
      $0.maximumRejects = 1
    }
    #expect(objects.count == 2 && objects[0].contains("LineString"))
    #expect(report.rejects.map(\.line) == [2], "\(report.rejects)")
    // Of mostly unreadable values the column is text.
    let mixed = "id,geom_text\n1,bad\n2,\"LINESTRING (0 0, 1 1)\"\n"
    let (texts, _) = try read("b.csv", mixed)
    #expect(texts[1].contains(#""geom_text":"LINESTRING"#))
  }

  @Test func `blanks may follow a closing quote`() throws {
    let (objects, _) = try read("a.csv", "a,b\n\"x\" ,1\n\"y\"\t,2\n\"z\",\"3\"  \n")
    #expect(objects == [#"{"a":"x","b":1}"#, #"{"a":"y","b":2}"#, #"{"a":"z","b":3}"#])
  }

  @Test func `all types of MongoDB's Extended JSON are read`() throws {
    let text = """
      {"a":{"$oid":"5d505646cf6d4fe581014ab2"},"b":{"$date":{"$numberLong":"-1"}},\
      "c":{"$date":1565546054692},"d":{"$date":"2019-08-11T17:54:14.692Z"},\
      "e":{"$numberInt":"7"},"f":{"$numberLong":"9007199254740993"},\
      "g":{"$numberDouble":"-Infinity"},"h":{"$numberDecimal":"1.50"},\
      "i":{"$binary":{"base64":"c//SZESzTGmQ6OfR38A11A==","subType":"04"}},\
      "j":{"$binary":{"base64":"//8=","subType":"00"}},"k":{"$binary":"//8=","$type":"00"},\
      "l":{"$timestamp":{"t":1565545664,"i":1}},\
      "m":{"$regularExpression":{"pattern":"^H","options":"i"}},"n":{"$regex":"^H","$options":""},\
      "o":{"$code":"f()"},"p":{"$code":"f()","$scope":{}},"q":{"$symbol":"s"},\
      "r":{"$ref":"c","$id":"i"}}
      """
    let (objects, _) = try read("a.ndjson", text)
    for part in [
      #""a":"5d505646cf6d4fe581014ab2""#, #""b":"1969-12-31T23:59:59.999Z""#,
      #""c":"2019-08-11T17:54:14.692Z""#, #""d":"2019-08-11T17:54:14.692Z""#, #""e":7,"#,
      #""f":9007199254740993,"#, #""g":"-inf""#, #""h":1.50,"#, #""j":"//8=""#, #""k":"//8=""#,
      #""l":"2019-08-11T17:47:44Z""#, #""m":"/^H/i""#, #""n":"/^H/""#, #""o":"f()""#,
      #""p":"f()""#, #""q":"s""#, #""r":{"#,
    ] {
      #expect(objects[0].contains(part), "\(part) in \(objects[0])")
    }
    #expect(objects[0].lowercased().contains(#""i":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4""#))
    // Texts beside dates stay texts.
    let (texts, _) = try read("b.ndjson", #"{"a":{"$symbol":"s"}}"# + "\n" + #"{"a":"2020-01-01"}"#)
    #expect(texts == [#"{"a":"s"}"#, #"{"a":"2020-01-01"}"#])
  }

  // MARK: KML

  @Test func `blanks in coordinates, repeated names and tracks of KML`() throws {
    let (lines, notes) = try read(
      "a.kml",
      "<kml><Placemark><name></name><name>B</name><LineString><coordinates>1, 2, 0 3, 4, 0"
        + "</coordinates></LineString></Placemark></kml>")
    #expect(lines[0].contains(#""name":"B""#))
    #expect(lines[0].contains("[[1,2,0],[3,4,0]]"), "\(lines)")
    #expect(notes.contains("blanks after the commas"))
    let (tracks, _) = try read(
      "b.kml",
      "<kml xmlns:gx=\"http://www.google.com/kml/ext/2.2\"><Placemark><gx:Track>"
        + "<when>2010-05-28T02:02:09Z</when><when>2010-05-28T02:02:35Z</when>"
        + "<gx:coord>1 2 3</gx:coord><gx:coord>4 5 6</gx:coord><ExtendedData><SchemaData>"
        + "<gx:SimpleArrayData name=\"heart\"><gx:value>90</gx:value><gx:value>95</gx:value>"
        + "</gx:SimpleArrayData></SchemaData></ExtendedData></gx:Track></Placemark></kml>")
    #expect(tracks[0].contains("2010-05-28T02:02:09") && tracks[0].contains("2010-05-28T02:02:35"))
    #expect(tracks[0].contains(#""heart":[90,95]"#), "\(tracks)")
  }
}

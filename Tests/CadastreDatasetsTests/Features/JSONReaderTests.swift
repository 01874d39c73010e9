import DatasetTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

@Suite struct JSONReaderTests {
  let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  func reading(_ text: String, _ framing: JSONReader.Framing? = nil) throws -> JSONReading {
    JSONReading(try folder.file("file.json", text), framing)
  }

  /// Parses texts with `JSONSerialization`.
  func trees(_ texts: String...) throws -> [JSONTree] {
    try texts.map { JSONTree(try JSONSerialization.jsonObject(with: Data($0.utf8))) }
  }

  // MARK: Documents

  @Test func `the features of a collection are records, whatever the order of its members`() throws
  {
    let features = #""features":[{"type":"Feature","id":1},{"type":"Feature","id":2}]"#
    let members = [
      #""type":"FeatureCollection""#, features, #""name":{"features":[1,{"type":7}]}"#,
      #""crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}}"#,
    ]
    let expected = try trees(#"{"type":"Feature","id":1}"#, #"{"type":"Feature","id":2}"#)

    for order in permutations(members) {
      let text = "{" + order.joined(separator: ", ") + "}"
      let actual = try reading(text)
      #expect(actual.records == expected, "\(text)")
      #expect(actual.isClean, "\(text)")
    }
  }

  @Test func `an object that is no feature collection is one record`() throws {
    for text in [
      #"{"type":"Feature","geometry":null,"properties":{"a":[1,2.5,"x"]}}"#,
      #"{"coordinates":[4.9,52.3],"type":"Point"}"#, #" {"features":1,"type":"x"} "#, "{}",
      #"{"a":{"type":"FeatureCollection"},"b":"é"}"#, #"{"type":5,"features":[1]}"#,
      #"{"type":"Map","features":[1],"crs":1}"#,
    ] {
      let actual = try reading(text)
      #expect(actual.records == (try trees(text)), "\(text)")
      #expect(actual.isClean, "\(text)")
    }
  }

  @Test func `the objects of an array are records with their positions`() throws {
    let actual = try reading("[ {\"a\":1},\n  {\"b\":[]} ,\r\n{}]\n")

    #expect(actual.records == (try trees(#"{"a":1}"#, #"{"b":[]}"#, "{}")))
    #expect(actual.positions == [1, 2, 2, 13, 3, 25])
    #expect(try reading("[]").isClean)
    #expect(try reading(#"{"type":"FeatureCollection","features":[ ]}"#).isClean)
  }

  @Test(
    arguments: [
      ("", "line 1, column 1: found the end of the file; expected an object or an array"),
      ("7", "line 1, column 1: found '7'; expected an object or an array"),
      ("{}\n,", "line 2, column 1: found ','; expected the end of the text"),
      ("[{},]", "line 1, column 5: found ']'; expected a value"),
      ("[{} {}]", "line 1, column 5: found '{'; expected ',' or ']'"),
      ("[{\"é\":1,}]", "line 1, column 9: found '}'; expected a name in double quotes"),
      ("[{\"a\":1", "line 1, column 8: found the end of the file; expected ',' or '}'"),
      ("[{\"a\": nil}]", "line 1, column 9: found 'i'; expected 'null'"),
      ("[{\"a\": 01}]", "line 1, column 9: found a digit after a leading zero"),
      ("[{\"a\": \"\t\"}]", "line 1, column 9: found U+0009 inside a string"),
      ("{\"type\":\"FeatureCollection\"}", "found a FeatureCollection without 'features'"),
      ("{\"type\":\"FeatureCollection\",\"features\":{}}", "found 'features' that are no array"),
      ("{\"features\":{},\"type\":\"FeatureCollection\"}", "found 'features' that are no array"),
      ("{\"features\":[{}]}", "in an object without 'type'; expected a FeatureCollection"),
      ("{\"features\":[{}],\"type\":\"Map\"}", "type 'Map'; expected a FeatureCollection"),
      ("{\"features\":[],\"features\":[]}", "found 'features' twice in one object"),
      ("{\"type\":\"FeatureCollection\",\"a\":\"\u{0}\"}", "found U+0000 inside a string"),
    ])
  func `an invalid document throws an error with the position`(
    text: String, sentence: String
  ) throws {
    let actual = try reading(text, .document)
    let error = try #require(actual.fileError)

    #expect(error.scope == .file)
    #expect(error.description.contains(sentence), "\(error)")
  }

  @Test func `reading continues after a rejected element`() throws {
    var bytes = Array(#"[{"a":1},{"b":1,"c":2,"b":3},7,{"s":"\ud800"},{"x":""#.utf8)
    bytes += [0xC3, 0x28] + Array(#""},{"last":1}]"#.utf8)

    let actual = JSONReading(try folder.file("file.json", bytes))

    #expect(actual.records == (try trees(#"{"a":1}"#, #"{"last":1}"#)))
    #expect(actual.fileError == nil)
    #expect(
      actual.rowErrors.map(\.problem) == [
        .json(.repeatedName("b")), .json(.notAnObject(found: .integer)),
        .json(.loneSurrogate(0xD800)), .json(.invalidUTF8(byteOffset: 52)),
      ])
    #expect(actual.rowErrors.map(\.column) == [23, 30, 38, 53])
  }

  // MARK: Sequences

  @Test func `an invalid line of a sequence rejects only its record`() throws {
    let text = "{\"a\":1}\r\n\n{\"a\":}\n  \n7\n{\"a\":2} x\n{\"a\":\"\n {\"a\":3}"

    let actual = try reading(text, .sequence)

    #expect(actual.records == (try trees(#"{"a":1}"#, #"{"a":3}"#)))
    #expect(actual.positions == [1, 0, 8, 40])
    #expect(actual.rowErrors.map(\.line) == [3, 5, 6, 7])
    #expect(actual.rowErrors.map(\.column) == [6, 1, 9, 7])
    #expect(
      actual.rowErrors.last?.description.hasSuffix(
        "line 7, column 7: found the end of the line; expected a closing quote") == true)
  }

  @Test func `texts after record separators may span lines or be truncated`() throws {
    let text = "\u{1E}{\"a\":\n1}\n\u{1E}\u{1E}{\"a\":2\n\u{1E}{\"a\":3}"

    let actual = try reading(text)

    #expect(actual.records == (try trees(#"{"a":1}"#, #"{"a":3}"#)))
    #expect(actual.positions == [1, 1, 4, 20])
    #expect(
      actual.rowErrors.map { $0.description.split(separator: ", line ").last } == [
        "4, column 1: found the start of the next text; expected ',' or '}'"
      ])
  }

  @Test(
    arguments: [
      ("a.GeoJSONL", "{}", JSONReader.Framing.sequence), ("a.ndjson.gz", "{}", .sequence),
      ("a.geojsons", "", .sequence), ("a.json", "{}", .document), ("a", "{}\n{}", .sequence),
      ("a", "\n\u{FEFF}", .document), ("a", " \u{1E}{}", .sequence), ("a", "{} {}", .document),
      ("a.geojson", "\n{\"a\":1}\n\n{\"a\":", .sequence), ("a", "{\n}\n7", .document),
      ("a", "[{}]\n[{}]", .document),
    ])
  func `the framing is detected from the name, then from the content`(
    name: String, text: String, framing: JSONReader.Framing
  ) throws {
    for chunkBytes in [1, 2, 1000] {
      var options = JSONOptions()
      options.chunkBytes = chunkBytes
      let reader = try JSONReader(path: folder.file(name, text), options: options)
      #expect(reader.framing == framing)
    }
  }

  @Test func `a byte order mark is skipped, and other encodings are named`() throws {
    #expect(try reading("\u{FEFF}{\"a\":1}").positions == [1, 3])
    let utf16 = JSONReading(try folder.file("file.json", [0xFF, 0xFE, 0x7B, 0x00]))
    #expect(utf16.fileError?.problem == .foreignContent(found: "UTF-16"))
  }

  // MARK: Coordinate systems

  @Test(
    arguments: [
      "urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:OGC::CRS84", "OGC:CRS84", "EPSG:4326",
      "epsg:4326", "urn:ogc:def:crs:EPSG::4326", "urn:ogc:def:crs:EPSG:6.9:4326",
      "http://www.opengis.net/def/crs/OGC/1.3/CRS84",
      "http://www.opengis.net/gml/srs/epsg.xml#4326",
    ])
  func `names of WGS 84 are accepted`(name: String) {
    #expect(GeoJSONSystem.isWGS84(name))
  }

  @Test func `other reference systems are rejected with the command that converts`() throws {
    let system = #""crs":{"type":"name","properties":{"name":"EPSG:28992"}}"#
    let features = #""features":[{"type":"Feature"}]"#
    let type = #""type":"FeatureCollection""#
    let path = try folder.file("it's here.geojson", "{\(type),\(features),\(system)}")
    let quoted = "'" + path.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
    let target = quoted.replacing(".geojson'", with: "-wgs84.gpkg'")
    let line = "ogr2ogr -t_srs EPSG:4326 \(target) \(quoted)"

    let error = try #require(JSONReading(path).fileError)
    #expect(error.description.hasSuffix(line), "\(error)")
    for order in permutations([system, features, type]) {
      let actual = try reading("{" + order.joined(separator: ",") + "}")
      #expect(actual.fileError?.description.contains("'EPSG:28992'; expected WGS 84.") == true)
    }
    // A record may name a reference system, and so may its geometry, as PostGIS writes it.
    for text in [
      #"{"type":"Feature",\#(system)}"#,
      #"{"type":"Feature","geometry":{"type":"Point",\#(system),"coordinates":[1,2]}}"#,
      #"{"type":"Point","crs":{"type":"EPSG","properties":{"code":28992}}}"#,
    ] {
      let actual = try reading(text)
      #expect(actual.records.isEmpty)
      #expect(actual.rowErrors.first?.description.contains("'EPSG:28992'") == true, "\(actual)")
    }
    #expect(try reading(#"{"type":"House","crs":"any"}"#).isClean)
    #expect(try reading(#"{"type":"Point","crs":null}"#).isClean)
  }

  // MARK: Access

  @Test func `members, elements and texts of a record are accessible`() throws {
    let path = try folder.file(
      "file.json", #"{"a":[1,{"b":2},-3.50e1],"n\u0061me":"\"\ud83d\ude00\u0000","t":true}"#)
    let reader = try JSONReader(path: path)
    var record = JSONRecord()
    #expect(try reader.nextRecord(&record))

    let list = try #require(record.member("a", of: JSONRecord.root))
    let elements = record.elements(of: list).map { record[$0].kind }
    #expect(elements == [.integer, .object, .number])
    let last = try #require(Array(record.elements(of: list)).last)
    #expect(record.text(last) == "-3.50e1")
    #expect(record.withText(last) { FieldParsing.double($0) } == -35)
    let name = try #require(record.member("name", of: JSONRecord.root))
    #expect(record.text(name) == "\"😀\u{0}")
    let names = record.members(of: JSONRecord.root).map { record.text($0.name) }
    #expect(names == ["a", "name", "t"])
    #expect(record.member("b", of: JSONRecord.root) == nil)
    #expect(record.member("b", of: list) == nil)
    #expect(try !reader.nextRecord(&record))
    #expect(reader.bytesRead == reader.totalBytes)
  }

  @Test func `repeated names are rejected in objects of every size and spelling`() throws {
    for count in [2, 3, 15, 16, 17, 18, 100, 3000] {
      var members = (0..<count).map { "\"a name of some length \($0)\":1" }
      #expect(try reading("{" + members.joined(separator: ",") + "}").isClean)
      members.append(#""\u0061 name of some length \#(count / 2)":1"#)
      let actual = try reading("{" + members.joined(separator: ",") + "}")
      #expect(
        actual.rowErrors.map(\.problem) == [
          .json(.repeatedName("a name of some length \(count / 2)"))
        ])
    }
    #expect(try reading(#"{"":1,"a":{"":1},"b":[{"":1},{"":1}]}"#).isClean)
    #expect(try reading(#"{"a":{"":1,"":1}}"#).rowErrors.count == 1)
  }
}

/// Returns all permutations.
private func permutations<Element>(_ elements: [Element]) -> [[Element]] {
  guard let first = elements.first else { return [[]] }
  return permutations(Array(elements.dropFirst())).flatMap { rest in
    (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
  }
}

import CadastreModel
import Foundation
import Testing

@testable import CadastreDatasets

/// The fields of `datapackage.json` that the tests compare with the file.
private struct Manifest: Decodable {
  struct Resource: Decodable {
    struct Schema: Decodable {
      struct Field: Decodable {
        var name: String
        var type: String
      }

      var fields: [Field]
    }

    var path: String
    var bytes: Int
    var hash: String
    var rows: Int
    var schema: Schema
  }

  var resources: [Resource]
}

@Suite struct AirportsTests {
  private let folder = repository.appendingPathComponent("Datasets/airports")

  @Test func `the airports match their manifest`() throws {
    let manifest = try JSONDecoder().decode(
      Manifest.self,
      from: Data(contentsOf: folder.appendingPathComponent("datapackage.json")))
    let resource = try #require(manifest.resources.first)
    let file = folder.appendingPathComponent(resource.path)
    let reader = try CSVReader(path: file.path)
    let columns = try #require(try LocationColumns.detected(in: reader.header))
    guard case .degrees(let longitude, let latitude) = columns else {
      Issue.record("expected two columns of degrees, found \(columns)")
      return
    }
    var inference = ColumnTypeInference(header: reader.header)
    var record = CSVRecord()
    var rows = 0
    var identifiers: Set<String> = []

    while try reader.nextRecord(&record) {
      rows += 1
      inference.observe(record)
      identifiers.insert(record.text(0))
      let x = try #require(record.withField(longitude) { FieldParsing.double($0) })
      let y = try #require(record.withField(latitude) { FieldParsing.double($0) })
      if abs(x) > 180 || abs(y) > 90 { Issue.record("line \(record.lineNumber): \(x), \(y)") }
    }

    #expect(rows == resource.rows)
    #expect(identifiers.count == rows)
    #expect(reader.bytesRead == resource.bytes)
    #expect(reader.header == resource.schema.fields.map(\.name))
    #expect(
      inference.fields.map { $0.shape == .scalar(.double) ? "number" : $0.shape.typeDescription }
        == resource.schema.fields.map(\.type))
    #expect(
      inference.fields.filter(\.isOptional).map(\.name) == ["iata", "city", "subd", "lid"])
    #expect("sha256:" + SHA256.hex(try Data(contentsOf: file)) == resource.hash)
  }

  @Test func `SHA-256 matches the examples of FIPS 180-4`() {
    #expect(
      SHA256.hex(Data("abc".utf8))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}

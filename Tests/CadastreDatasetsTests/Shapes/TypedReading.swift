import CadastreModel
import Foundation

@testable import CadastreDatasets

/// What a typed reader made of a file: rows, and errors of single rows in between.
struct TypedReading {
  var fields: [TypedField]
  var rows: [TypedRow] = []
  var rowErrors: [DatasetError] = []

  init(_ reader: some TypedReader) throws(DatasetError) {
    fields = reader.fields
    var row = TypedRow()
    while true {
      do throws(DatasetError) {
        guard try reader.nextRow(&row) else { return }
        rows.append(row)
      } catch {
        guard error.scope == .row else { throw error }
        rowErrors.append(error)
      }
    }
  }

  /// The error that opening or reading ends with.
  static func failure(
    _ open: () throws(DatasetError) -> some TypedReader
  ) -> DatasetError? {
    do throws(DatasetError) {
      _ = try TypedReading(open())
      return nil
    } catch {
      return error
    }
  }
}

/// The Shapefiles and GeoPackages that ogr2ogr wrote, see `Fixtures/shapes/make.sh`.
enum ShapeFixture {
  static func path(_ name: String) -> String {
    repository.appendingPathComponent("Tests/CadastreDatasetsTests/Fixtures/shapes/\(name)").path
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  /// What GDAL reads: the place and the properties of each feature.
  static func features() throws -> [(place: [Double]?, properties: [String: Any])] {
    try String(contentsOfFile: path("points.geojsonl"), encoding: .utf8).split(separator: "\n").map
    {
      let feature = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      let geometry = feature?["geometry"] as? [String: Any]
      return (
        geometry?["coordinates"] as? [Double], feature?["properties"] as? [String: Any] ?? [:]
      )
    }
  }

  /// A value of GeoJSON as a field of some type holds it.
  static func value(_ found: Any?, _ type: PropertyType) -> Value {
    switch (type, found) {
    case (.int, let number as NSNumber): .int(number.int64Value)
    case (.double, let number as NSNumber): .double(number.doubleValue)
    case (.date, let text as String):
      parse(text) { FieldParsing.date($0) }.map {
        .date(Timestamp(seconds: $0.seconds, nanoseconds: Int64($0.nanoseconds)))
      } ?? .null
    case (.string, let text as String): .string(text)
    default: .null
    }
  }
}

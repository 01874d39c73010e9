import CadastreModel
import Foundation

@testable import CadastreDatasets

/// The result of reading a typed file: its rows and the errors of single rows.
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

  /// Returns the error that opening or reading throws.
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

/// Shapefiles and GeoPackages that ogr2ogr wrote, see `Fixtures/shapes/make.sh`.
enum ShapeFixture {
  static func path(_ name: String) -> String {
    repository.appendingPathComponent("Tests/CadastreDatasetsTests/Fixtures/shapes/\(name)").path
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  /// Returns the coordinates and the properties of each feature, as GDAL reads them.
  static func features() throws -> [(point: [Double]?, properties: [String: Any])] {
    try String(contentsOfFile: path("points.geojsonl"), encoding: .utf8).split(separator: "\n").map
    {
      let feature = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      let geometry = feature?["geometry"] as? [String: Any]
      return (
        geometry?["coordinates"] as? [Double], feature?["properties"] as? [String: Any] ?? [:]
      )
    }
  }

  /// Converts a value of GeoJSON to a field of a type.
  static func value(_ json: Any?, _ type: PropertyType) -> Value {
    switch (type, json) {
    case (.int, let number as NSNumber): .int(number.int64Value)
    case (.double, let number as NSNumber): .double(number.doubleValue)
    case (.date, let text as String):
      parse(text) { FieldParsing.date($0) }.map(Value.date) ?? .null
    case (.string, let text as String): .string(text)
    default: .null
    }
  }
}

import ArgumentParser
import CadastreDatasets

/// The output formats of results that are no objects.
enum TableOutputFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, ndjson, csv

  var records: RecordWriter.Format {
    switch self {
    case .table: .table
    case .json: .json
    case .ndjson: .ndjson
    case .csv: .csv
    }
  }
}

import CadastreFormatting

/// GeoJSON, and JSON objects one after the other.
struct JSONFormat: DatasetFormat {
  private let framing: JSONReader.Framing?
  private let fields = JSONObjectInference(depth: 0)
  private var hasPlace = false

  /// Reads documents or sequences; nil finds out which.
  init(_ framing: JSONReader.Framing?) { self.framing = framing }

  func open(_ path: String) throws(DatasetError) -> JSONReader {
    try JSONReader(path: path, framing: framing)
  }

  mutating func observe(_ record: JSONRecord) {
    let parts = JSONParts(record)
    if parts.isGeographic { hasPlace = true }
    fields.beginObject()
    parts.forEachField(of: record) { name, value in fields.observe(record, name: name, value) }
  }

  var inferredSchema: DatasetSchema {
    get throws(ImportError) {
      guard !fields.isOverfull else {
        throw ImportError(
          "the records have more than \(grouped(fields.fields.count)) different members; a class "
            + "has no more properties")
      }
      return DatasetSchema(fields: fields.fields, hasPlace: hasPlace)
    }
  }

  func converter(_ target: RowTarget) -> JSONRowConverter {
    JSONRowConverter(target, names: fields.fields.map(\.name))
  }
}

extension JSONReader: RecordReader {
  func next(_ record: inout JSONRecord) throws(DatasetError) -> Bool { try nextRecord(&record) }
}

extension JSONRecord: PlacedRecord {
  var recordPlace: RecordPlace { .line(lineNumber) }
}

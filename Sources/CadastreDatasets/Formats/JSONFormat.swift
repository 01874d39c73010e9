import CadastreFormatting

/// GeoJSON documents and sequences of JSON objects.
struct JSONFormat: DatasetFormat {
  private let framing: JSONReader.Framing?
  private let conversion: CoordinateConversion
  private let recordsPath: [String]?
  private let fields = JSONObjectInference(depth: 0)
  private var hasLocation = false
  private var hasShapes = false
  private var namesGeometry = false
  private var hasOnlyNullGeometries = true
  /// The notices of the files of the first pass.
  private var found: [ReaderNotices] = []

  /// Creates a format; a framing of nil is detected for each file, and a path of nil too.
  init(
    _ framing: JSONReader.Framing?, _ conversion: CoordinateConversion = .none,
    recordsPath: [String]? = nil
  ) {
    self.framing = framing
    self.conversion = conversion
    self.recordsPath = recordsPath
  }

  mutating func open(_ path: String) throws(DatasetError) -> JSONReader {
    var options = JSONOptions()
    options.recordsPath = recordsPath
    let reader = try JSONReader(
      path: path, framing: framing, options: options, conversion: conversion)
    found.append(reader.notices)
    return reader
  }

  var notices: [String] { Set(found.flatMap(\.clauses)).sorted() }

  mutating func observe(_ record: JSONRecord) {
    let parts = GeoJSONParts(record)
    if parts.isGeographic { hasLocation = true }
    if parts.namesGeometry { namesGeometry = true }
    if let geometry = parts.geometry {
      hasOnlyNullGeometries = false
      if JSONGeometry.isShape(record, geometry) { hasShapes = true }
    }
    fields.beginObject()
    parts.forEachField(of: record) { name, value in fields.observe(record, name: name, value) }
  }

  var inferredSchema: DatasetSchema {
    get throws(ImportError) {
      guard !fields.exceedsMaximum else {
        throw ImportError(
          "the records have more than \(grouped(fields.fields.count)) different members, which is "
            + "the maximum for the properties of a class")
      }
      var schema = DatasetSchema(
        fields: fields.fields, hasLocation: hasLocation, hasShapes: hasShapes)
      schema.namesGeometry = namesGeometry
      schema.hasOnlyNullGeometries = hasOnlyNullGeometries
      return schema
    }
  }

  func converter(_ target: RowTarget) -> JSONRowConverter {
    JSONRowConverter(target, names: fields.fields.map(\.name))
  }
}

extension JSONReader: RecordReader {
  func next(_ record: inout JSONRecord) throws(DatasetError) -> Bool { try nextRecord(&record) }
}

extension JSONRecord: PositionedRecord {
  var position: RecordPosition { .line(lineNumber) }
}

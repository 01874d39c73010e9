import CadastreFormatting

/// GeoJSON documents and sequences of JSON objects.
struct JSONDataset: Dataset {
  private let framing: JSONReader.Framing?
  private let conversion: CoordinateConversion
  private let recordsPath: [String]?
  private let fields = JSONObjectInference(depth: 0)
  private var hasLocation = false
  private var hasShapes = false
  private var namesGeometry = false
  private var hasOnlyNullGeometries = true
  /// Whether a record is a FeatureCollection.
  private var hasCollections = false
  /// The notices of the files of the first pass.
  private var allNotices: [ReaderNotices] = []
  /// The systems that files name after their features, by path, from the first pass.
  private let trailingSystems = TrailingSystems()

  /// Creates a dataset; a framing or a path of nil is detected for each file.
  init(
    _ framing: JSONReader.Framing?, _ conversion: CoordinateConversion = .none,
    recordsPath: [String]? = nil
  ) {
    self.framing = framing
    self.conversion = conversion
    self.recordsPath = recordsPath
  }

  func needsAllRecords(of path: String) -> Bool {
    conversion.system == nil && framing != .sequence && TrailingSystems.mayBeNamed(in: path)
  }

  mutating func open(_ path: String) throws(DatasetError) -> JSONReader {
    var options = JSONOptions()
    options.recordsPath = recordsPath
    let reader = try JSONReader(
      path: path, framing: framing, options: options, conversion: conversion,
      trailingSystems: trailingSystems)
    allNotices.append(reader.notices)
    return reader
  }

  var notices: [String] { Set(allNotices.flatMap(\.clauses)).sorted() }

  mutating func observe(_ record: JSONRecord) {
    let parts = GeoJSONParts(record)
    if parts.isGeographic { hasLocation = true }
    if parts.namesGeometry { namesGeometry = true }
    if parts.isCollection { hasCollections = true }
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
      guard !hasCollections || hasLocation || !fields.fields.isEmpty else {
        throw ImportError(
          "the records are FeatureCollections; expected one FeatureCollection in a file, or a feature in each "
            + "line, as jq --compact-output '.features[]' writes them")
      }
      var schema = DatasetSchema(
        fields: fields.fields, hasLocation: hasLocation, hasShapes: hasShapes)
      schema.namesGeometry = namesGeometry
      schema.hasOnlyNullGeometries = hasOnlyNullGeometries
      return schema
    }
  }

  func converter(_ target: RowTarget) throws(ImportError) -> JSONRowConverter {
    try JSONRowConverter(target, names: fields.fields.map(\.name))
  }
}

extension JSONReader: RecordReader {
  func next(_ record: inout JSONRecord) throws(DatasetError) -> Bool { try nextRecord(&record) }
}

extension JSONRecord: PositionedRecord {
  var position: RecordPosition { .line(lineNumber, column: columnNumber) }
}

extension FormatDescriptor {
  /// JSON documents: GeoJSON, and other objects.
  package static let geojson = FormatDescriptor(
    name: "geojson", help: "GeoJSON", noun: "JSON file", extensions: ["geojson", "json"],
    signature: { isJSON($0) && !isTopology($0) }, options: [.referenceSystem, .records],
    reader: { settings, _ in
      JSONDataset(nil, settings.conversion, recordsPath: settings.recordsPath)
    }, writer: .text(.geojson))

  /// Sequences of JSON objects.
  package static let geojsonseq = FormatDescriptor(
    name: "geojsonseq", help: "GeoJSONSeq and NDJSON", noun: "JSON file",
    extensions: ["geojsonl", "geojsons", "geojsonseq", "ndjson", "jsonl"],
    signature: { $0.first == JSONFramingSniffer.recordSeparator }, options: [.referenceSystem],
    reader: { settings, _ in JSONDataset(.sequence, settings.conversion) },
    writer: .text(.geojsonseq))

  /// Returns whether a file begins with an object or an array.
  private static func isJSON(_ content: [UInt8]) -> Bool {
    let first = content.first { !isBlank($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Returns whether a file begins with an object whose first member is the type of TopoJSON.
  static func isTopology(_ content: [UInt8]) -> Bool {
    content.prefix(256).filter { !isBlank($0) }.starts(with: Array("{\"type\":\"Topology\"".utf8))
  }
}

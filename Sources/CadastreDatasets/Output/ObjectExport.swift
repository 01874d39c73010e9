/// An export of objects of a class in one of the formats.
///
///     var export = ObjectExport(query, .parquet)
///     export.keys = try query.keys()
///     let count = try export.write(to: .file(file))
package struct ObjectExport {
  /// The destination of an export.
  package enum Destination {
    /// A file, which is finished after the last object.
    case file(OutputFile)
    /// A closure that receives the bytes in order.
    case stream(([UInt8]) throws -> Void)
  }

  private let query: StoreQuery
  private let format: ExportFormat
  /// The keys of the objects.
  package var keys: [Int64] = []
  /// The columns, separated by commas; nil for all.
  package var select: String?
  /// The number of rows in a row group of a Parquet file.
  package var groupRows = Self.defaultGroupRows
  /// Whether the order of the keys is the order of the rows; otherwise it is the order of a Hilbert curve in Parquet
  /// files.
  package var keepsOrder = false
  /// Whether each line of a GeoJSON sequence begins with a record separator.
  package var hasSeparators = false
  /// Whether an apostrophe precedes texts in CSV that a spreadsheet would run as formulas.
  package var guardsFormulas = false
  /// Further classes that become layers of a GeoPackage, with all of their objects.
  package var otherClasses: [String] = []

  /// Receives sentences about values that the file does not contain exactly.
  package var notice: (String) -> Void = { _ in }

  /// The number of rows in a row group of a Parquet file by default.
  package static let defaultGroupRows = 122_880

  /// Creates an export of no objects.
  ///
  /// - Parameters:
  ///   - query: The query that reads the objects.
  ///   - format: The format.
  package init(_ query: StoreQuery, _ format: ExportFormat) {
    self.query = query
    self.format = format
  }

  /// Writes the objects.
  ///
  /// - Parameter destination: The destination; a file for a GeoPackage and FlatGeobuf.
  /// - Returns: The number of objects.
  /// - Throws: `StoreError`, ``OutputError``, ``QueryPredicateError`` for an unknown column, or the error of a closure.
  /// - Complexity: O(n log n) in the number of keys.
  package func write(to destination: Destination) throws -> Int {
    switch (format, destination) {
    case (.gpkg, .file(let file)): try writeLayers(to: file)
    case (.fgb, .file(let file)):
      try FlatGeobufOutput(query, try query.columns(select), name: query.className)
        .write(keys, to: file)
    case (_, .file(let file)):
      try writeBytes {
        try file.write($0)
      } finish: {
        try file.finish()
      }
    case (_, .stream(let write)): try writeBytes(write) {}
    }
  }

  private func writeBytes(
    _ write: @escaping ([UInt8]) throws -> Void, finish: () throws -> Void
  ) throws -> Int {
    let count: Int
    if format == .parquet {
      let rows = keepsOrder ? keys : try query.inHilbertOrder(keys)
      let report = try query.columnarOutput(select).withDateForms(of: query)
        .write(query, rows, groupRows: groupRows, to: write)
      for sentence in report.notices { notice(sentence) }
      count = report.objects
    } else {
      var writer = textWriter(try query.columns(select), identifier: query.primaryKey)
      try query.write(keys, with: &writer, to: write)
      count = writer.count
    }
    try finish()
    return count
  }

  private func textWriter(_ columns: [OutputColumn], identifier: String?) -> RecordWriter {
    var options = RecordWriter.Options()
    options.hasSeparators = hasSeparators
    options.guardsFormulas = guardsFormulas
    options.identifier = identifier
    return RecordWriter(format.text, columns: columns, options)
  }

  /// Writes a GeoPackage; the classes after the first one are layers with all of their objects.
  private func writeLayers(to file: OutputFile) throws -> Int {
    let columns = try query.typedColumns(select)
    let writer = try GeoPackageWriter(file)
    var count = try write(query, keys, columns, asLayerOf: writer)
    for name in otherClasses {
      let other = try query.query(of: name, nil)
      count += try write(other, try other.keys(), try other.typedColumns(nil), asLayerOf: writer)
    }
    try writer.finish()
    return count
  }

  private func write(
    _ query: StoreQuery, _ keys: [Int64], _ columns: [OutputColumn],
    asLayerOf writer: GeoPackageWriter
  ) throws -> Int {
    let layer = LayerColumns(columns, of: try query.columns(nil))
    try writer.begin(
      layer: query.className, columns: layer.columnTypes, days: layer.days,
      hasShapes: layer.hasShapes)
    var count = 0
    try query.forEachRecord(keys) { record in
      try writer.write(layer.values(record), geometry: layer.geometry(record))
      count += 1
    }
    return count
  }
}

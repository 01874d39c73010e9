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

  /// The query that reads the objects.
  let query: StoreQuery
  private let format: FormatDescriptor
  /// The keys of the objects.
  package var keys: [Int64] = []
  /// The columns, separated by commas; nil for all.
  package var select: String?
  /// The number of rows in a row group of a Parquet file.
  package var groupRows = Self.defaultGroupRows
  /// Whether rows are in the order of the keys; otherwise Parquet files are in the order of a
  /// Hilbert curve.
  package var keepsOrder = false
  /// Whether each line of a GeoJSON sequence begins with a record separator.
  package var hasSeparators = false
  /// Whether an apostrophe precedes texts in CSV that a spreadsheet would run as formulas.
  package var guardsFormulas = false
  /// The reference system of the coordinates, such as `EPSG:3857`; nil for WGS 84.
  package var referenceSystem: String?
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
  package init(_ query: StoreQuery, _ format: FormatDescriptor) {
    self.query = query.withKeysOfLinks()
    self.format = format
  }

  /// Writes the objects.
  ///
  /// - Parameter destination: The destination; a file for a GeoPackage and FlatGeobuf.
  /// - Returns: The number of objects.
  /// - Throws: `StoreError`, ``OutputError``, ``QueryPredicateError`` for an unknown column, or the
  ///   error of a closure.
  /// - Complexity: O(n log n) in the number of keys.
  package func write(to destination: Destination) throws -> Int {
    switch destination {
    case .stream(let write): return try writeBytes(write)
    case .file(let file):
      if let referenceSystem {
        guard let driver = format.projectingDriver else {
          throw OutputError(
            .failed(
              reason: (format.projectingName == nil ? nil : GDALLibrary.failure)
                ?? "the format \(format.name) has no other reference system than WGS 84 here; gpkg, fgb and geojson have"
            ),
            path: file.path)
        }
        return try GDALExport(driver: driver, system: referenceSystem).write(self, to: file)
      }
      if case .file(let write) = format.writer { return try write(self, file) }
      let count = try writeBytes { try file.write($0) }
      try file.finish()
      return count
    }
  }

  private func writeBytes(_ write: @escaping ([UInt8]) throws -> Void) throws -> Int {
    if case .bytes(let writeAll) = format.writer { return try writeAll(self, write) }
    var writer = textWriter(try query.columns(select), identifier: query.primaryKey)
    try query.write(keys, with: &writer, to: write)
    return writer.count
  }

  private func textWriter(_ columns: [OutputColumn], identifier: String?) -> RecordWriter {
    var options = RecordWriter.Options()
    options.hasSeparators = hasSeparators
    options.guardsFormulas = guardsFormulas
    options.identifier = identifier
    return RecordWriter(format.text ?? .csv, columns: columns, options)
  }
}

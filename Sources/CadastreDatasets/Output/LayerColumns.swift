package import CadastreGeometry
package import CadastreModel

/// The geometry and the attribute columns of a layer in a binary format.
package struct LayerColumns {
  let features: FeatureColumns

  /// Separates the geometry from the attributes.
  ///
  /// - Parameters:
  ///   - columns: The columns of the output.
  ///   - all: The columns of the class, one of which is the geometry if none of the output is.
  package init(_ columns: [OutputColumn], of all: [OutputColumn]) {
    features = FeatureColumns(columns, of: all)
  }

  /// Whether geometries may be no points.
  package var hasShapes: Bool { features.hasShapes }

  /// The names and types; a type of nil means text.
  package var columnTypes: [(name: String, type: PropertyType?)] {
    features.attributes.map { ($0.path.description, $0.type == .geometry ? nil : $0.type) }
  }

  /// The names of the columns with days.
  var days: Set<String> {
    Set(features.attributes.filter(\.isDay).map(\.path.description))
  }

  /// Returns the values of a record; nested content is JSON, further geometries are WKT.
  package func values(_ record: StoredRecord) -> [Value] {
    features.attributes.map { column in
      switch record.written(column) {
      case .value(.geometry(let geometry)): .string(geometry.wkt)
      case .value(let value): value
      case let content: .string(FieldText.json(content))
      }
    }
  }

  /// Returns the geometry of a record.
  package func geometry(_ record: StoredRecord) -> Geometry? { features.shape(record) }
}

extension ObjectExport {
  /// Writes a GeoPackage; the classes after the first one are layers with all of their objects.
  func writeLayers(to file: OutputFile) throws -> Int {
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

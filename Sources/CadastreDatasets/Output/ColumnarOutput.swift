import CadastreColumnar
import CadastreFormatting
import CadastreGeometry
package import CadastreModel
package import CadastrePredicate
import CadastreQuery
import CadastreStore
import Foundation

/// The columns of a Parquet file for the objects of a class.
///
/// The first geometry, else the first point, is the main geometry; others are well-known binary.
/// Embedded objects are structures, collections are lists and maps. Mixed values are JSON text;
/// links, object identifiers and decimals are text.
package struct ColumnarOutput {
  /// The result of writing a file.
  package struct Report {
    /// The number of objects.
    package var objects = 0
    /// The numbers of dates that were rounded down to microseconds, by field.
    var roundedDates: [String: Int] = [:]

    /// Sentences about values that the file does not contain exactly.
    var notices: [String] {
      roundedDates.sorted { $0.key < $1.key }.map { field, count in
        "rounded down to microseconds: \(counted(count, "date")) in '\(printable(field))'"
      }
    }

    /// Adds the result of another file.
    mutating func add(_ other: Report) {
      objects += other.objects
      roundedDates.merge(other.roundedDates, uniquingKeysWith: +)
    }
  }

  /// A column and its content.
  private struct Column {
    let content: OutputColumn
    var field: ColumnarField

    /// Returns the index of the row's column with the content; nil for content outside of the row.
    func index(in layout: TableLayout) -> Int? {
      guard content.expression == nil, content.path.isPlain, content.path.names.count == 1,
        let property = layout.schema.index(of: content.path.names[0]),
        case .scalar(let index) = layout.fields[property], case .scalar(let type) = field.type,
        type != .any
      else { return nil }
      return index
    }
  }

  private var columns: [Column]
  /// The path of the geometry; nil if there is none.
  private let geometry: PropertyPath?
  /// Whether the geometry may be a line, a polygon or a collection.
  private let hasShapes: Bool

  /// Creates the columns of properties.
  ///
  /// - Parameters:
  ///   - properties: The columns and their properties; a property of nil is a number.
  ///   - schema: The schema of the store.
  init(_ properties: [(column: OutputColumn, property: Property?)], _ schema: Schema) {
    let shape = properties.firstIndex {
      $0.property?.type == .geometry && $0.property?.collection == nil
    }
    hasShapes = shape != nil
    let main = shape ?? properties.firstIndex { $0.property.map(schema.isPoint) == true }
    geometry = main.map { properties[$0].column.path }
    var columns: [Column] = []
    for (index, (column, property)) in properties.enumerated() where index != main {
      guard property?.type != .linkingObjects else { continue }
      var field =
        property.map { ColumnarTypes.field($0, schema) }
        ?? ColumnarField(name: "", type: .scalar(column.type ?? .double), isOptional: true)
      field.name = column.name
      // The objects on the path may be null.
      if column.path.names.count > 1 { field.isOptional = true }
      columns.append(Column(content: column, field: field))
    }
    self.columns = columns
  }

  /// Returns the columns with date forms that can represent all values of the class.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: O(n) in the number of objects for each column of dates.
  package func withDateForms(of query: StoreQuery) throws -> ColumnarOutput {
    var output = self
    for index in columns.indices where columns[index].content.type == .date {
      output.columns[index].field.dates = try query.dateForm(of: columns[index].content)
    }
    return output
  }

  /// Whether there is neither a column nor a geometry.
  var isEmpty: Bool { columns.isEmpty && geometry == nil }

  /// Writes objects as a Parquet file.
  ///
  /// - Parameters:
  ///   - query: The query that reads the objects.
  ///   - keys: The keys of the objects, in the order of the rows.
  ///   - groupRows: The number of rows in a row group.
  ///   - write: Receives the bytes of the file in order.
  /// - Returns: The numbers of objects and of rounded dates.
  /// - Throws: `StoreError`, or the error of the closure.
  /// - Complexity: O(n) in the number of keys; the rows of one group are in memory.
  package func write(
    _ query: StoreQuery, _ keys: [Int64], groupRows: Int,
    to write: @escaping ([UInt8]) throws -> Void
  ) throws -> Report {
    let writer = ParquetWriter(
      columns.map(\.field), hasGeometry: geometry != nil, groupRows: groupRows, write: write)
    if let table = TableValues(self, writer, query) {
      try table.write(keys, to: writer)
      try writer.finish()
      return Report(objects: writer.rowCount, roundedDates: writer.roundedDates)
    }
    let reader = RowValues(self, query)
    var values: [ColumnarValue] = []
    values.reserveCapacity(columns.count)
    try query.forEachRow(keys) { row, key in
      let content = try reader.read(row, key, into: &values)
      if hasShapes {
        try writer.append(values, geometry: content.flatMap(Self.shape))
      } else {
        try writer.append(values, point: content.flatMap(Self.point))
      }
    }
    try writer.finish()
    return Report(objects: writer.rowCount, roundedDates: writer.roundedDates)
  }

  /// The contents of columns of a table, which are written column by column.
  private struct TableValues {
    private let query: StoreQuery
    /// The columns of the table with the values, and after them those of the point.
    private let columns: [Int]
    private let outputs: [ParquetColumn]
    /// The places of the columns of the point in a batch.
    private let point: PointColumns?

    /// Nil where some contents are not single values or points of the row itself.
    init?(_ output: ColumnarOutput, _ writer: ParquetWriter, _ query: StoreQuery) {
      let layout = query.layout
      guard let outputs = writer.columns else { return nil }
      var columns: [Int] = []
      for (column, output) in zip(output.columns, outputs) {
        guard let index = column.index(in: layout), output.holds(layout.columns[index].type) else {
          return nil
        }
        columns.append(index)
      }
      if let path = output.geometry {
        guard path.names.count == 1, let property = layout.schema.index(of: path.names[0]),
          case .embedded(let embedded) = layout.fields[property], let point = embedded.point
        else { return nil }
        let first = columns.count
        columns += [point.longitude, point.latitude, point.altitude, point.odd]
        self.point = PointColumns(
          longitude: first, latitude: first + 1, altitude: first + 2, odd: first + 3)
      } else {
        point = nil
      }
      (self.query, self.columns, self.outputs) = (query, columns, outputs)
    }

    /// Writes the objects with some keys.
    func write(_ keys: [Int64], to writer: ParquetWriter) throws {
      try query.session.forEachBatch(keys, of: query.className, columns: columns) { batch in
        try query.progress(writer.rowCount)
        var rest = batch.allRows
        while !rest.isEmpty {
          let rows = rest.removeFirst(writer.room)
          for (place, output) in outputs.enumerated() {
            try output.append(batch.columns[place], rows)
          }
          if let point { append(point, of: batch, rows, to: writer) }
          try writer.finishRows(rows.count)
        }
      }
    }

    private func append(
      _ point: PointColumns, of batch: borrowing ColumnBatch, _ rows: RowSet,
      to writer: ParquetWriter
    ) {
      let (longitude, latitude) = (batch.columns[point.longitude], batch.columns[point.latitude])
      let (altitude, odd) = (batch.columns[point.altitude], batch.columns[point.odd])
      for row in rows {
        if longitude.isNull(row) || latitude.isNull(row) {
          writer.append(point: nil)
        } else if odd.isNull(row) {
          writer.append(
            point: ColumnarPoint(
              x: longitude.double(row), y: latitude.double(row),
              z: altitude.isNull(row) ? nil : altitude.double(row)))
        } else {
          writer.append(point: ColumnarOutput.point(.point(point.content(batch, row))))
        }
      }
    }
  }

  /// Access to the contents of rows; a record is created only for content outside of the row.
  private struct RowValues {
    private let query: StoreQuery
    private let columns: [(column: Column, index: Int?)]
    private let geometry: PropertyPath?
    private let point: PointColumns?
    private let shape: Int?
    private let needsRecord: Bool

    init(_ output: ColumnarOutput, _ query: StoreQuery) {
      self.query = query
      geometry = output.geometry
      columns = output.columns.map { ($0, $0.index(in: query.layout)) }
      let layout = output.geometry.flatMap { path in
        path.names.count == 1
          ? query.layout.schema.index(of: path.names[0]).map { query.layout.fields[$0] } : nil
      }
      if case .scalar(let index)? = layout { shape = index } else { shape = nil }
      if case .embedded(let embedded)? = layout { point = embedded.point } else { point = nil }
      needsRecord =
        columns.contains { $0.index == nil } || geometry != nil && shape == nil && point == nil
    }

    /// Fills the values from a row, and returns the content of its geometry; nil if there is none.
    func read(
      _ row: [Value], _ key: Int64, into values: inout [ColumnarValue]
    ) throws -> StoredRecord.Content? {
      values.removeAll(keepingCapacity: true)
      let record = needsRecord ? try query.record(row, key) : nil
      for (column, index) in columns {
        if let index {
          values.append(.value(ColumnarTypes.single(row[index], column.field.type)))
        } else if let record {
          values.append(
            ColumnarTypes.value(record.content(column.content), column.field.type))
        }
      }
      if let shape { return .value(row[shape]) }
      if let point { return .point(point.content(row)) }
      return geometry.flatMap { record?.content($0) }
    }
  }

  /// Returns a geometry; nil for other content.
  private static func shape(_ content: StoredRecord.Content) -> Geometry? {
    if case .value(.geometry(let geometry)) = content { geometry } else { nil }
  }

  /// Returns a valid point; nil for other content.
  private static func point(_ content: StoredRecord.Content) -> ColumnarPoint? {
    guard case .point(let point) = content, let coordinates = point.validCoordinates else {
      return nil
    }
    return ColumnarPoint(
      x: coordinates[0], y: coordinates[1], z: coordinates.count > 2 ? coordinates[2] : nil)
  }
}

extension ParquetColumn {
  /// Appends the values of some rows of a column of a table.
  fileprivate func append(_ column: BatchColumn, _ rows: RowSet) throws {
    var present = rows
    column.keep(&present, areNull: false)
    switch column.type {
    case .int, .bool:
      try column.withIntegers { numbers in
        if present == rows { return append(rows.map { numbers[$0] }) }
        try append(rows, present) { append(numbers[$0]) }
      }
    case .double, .float:
      try column.withDoubles { numbers in
        if present == rows { return append(rows.map { numbers[$0] }) }
        try append(rows, present) { append(numbers[$0]) }
      }
    case .date: try append(rows, present) { append(column.timestamp($0)) }
    case .string: try append(rows, present) { append(text: column.bytes($0)) }
    default: try append(rows, present) { append(column.bytes($0)) }
    }
  }

  /// Appends null or the value of each of some rows.
  private func append(
    _ rows: RowSet, _ present: RowSet, _ value: (Int) -> Void
  ) throws(ColumnarError) {
    for row in rows {
      if present.contains(row) { value(row) } else { try appendNull() }
    }
  }

  /// Appends a text; another program may have written bytes that are not UTF-8.
  private func append(text bytes: ArraySlice<UInt8>) {
    if bytes.allSatisfy({ $0 < 0x80 }) {
      append(bytes)
    } else {
      append(String(decoding: bytes, as: UTF8.self).utf8)
    }
  }
}

/// The types and values of properties in columnar files.
enum ColumnarTypes {
  /// Returns the field of a property.
  static func field(_ property: Property, _ schema: Schema) -> ColumnarField {
    field(property, schema, ancestors: [])
  }

  private static func field(
    _ property: Property, _ schema: Schema, ancestors: Set<String>
  ) -> ColumnarField {
    let element = element(property, schema, ancestors)
    let isNullable = property.isOptional || property.type == .any || property.type == .object
    switch property.collection {
    case nil: return ColumnarField(name: property.name, type: element, isOptional: isNullable)
    case .map:
      return ColumnarField(
        name: property.name,
        type: .map(key: .scalar(.string), value: element, isOptional: isNullable),
        isOptional: false)
    case .list, .set:
      return ColumnarField(
        name: property.name, type: .list(element, isOptional: isNullable), isOptional: false)
    }
  }

  /// Returns the type of the single values of a property; a recursive class is JSON text.
  private static func element(
    _ property: Property, _ schema: Schema, _ ancestors: Set<String>
  ) -> ColumnarType {
    guard property.type == .object else { return .scalar(property.type) }
    guard let target = schema.target(of: property), target.isEmbedded else {
      return .scalar(.object)
    }
    if target.isPointShaped { return .scalar(.geometry) }
    guard !ancestors.contains(target.className), !target.properties.isEmpty else {
      return .scalar(.any)
    }
    return .record(
      target.properties.filter { $0.type != .linkingObjects }.map {
        field($0, schema, ancestors: ancestors.union([target.className]))
      })
  }

  /// Returns content as a value of a column.
  static func value(_ content: StoredRecord.Content, _ type: ColumnarType) -> ColumnarValue {
    switch (content, type) {
    case (.value(.null), _): .value(.null)
    case (_, .scalar(.any)): .value(.string(FieldText.json(content)))
    case (.value(let value), .scalar(let type)): .value(single(value, type))
    case (.point(let point), .scalar): .value(.data(Data(PointBinary.bytes(point.coordinates))))
    case (.record(let record), .record(let fields)):
      .record(fields.map { value(record.content(PropertyPath([$0.name])), $0.type) })
    case (.list(let elements), .list(let type, _)): .list(elements.map { value($0, type) })
    case (.map(let entries), .map(_, let type, _)):
      .map(
        entries.map {
          ColumnarValue.Entry(
            key: .value(.string(JSONConversion.name(ofMapKey: $0.key))),
            value: value($0.content, type))
        })
    default: .value(.null)
    }
  }

  /// Returns a single value as a value of a column.
  static func single(_ value: Value, _ type: ColumnarType) -> Value {
    guard !value.isNull, case .scalar(let type) = type else { return .null }
    return single(value, type)
  }

  private static func single(_ value: Value, _ type: PropertyType) -> Value {
    switch type {
    case .object, .objectId, .decimal128: .string(FieldText.exact(value))
    case .geometry:
      if case .geometry(let geometry) = value { .data(Data(geometry.fileWKB)) } else { .null }
    default: value
    }
  }
}

extension StoreQuery {
  /// Returns the columns of a Parquet file.
  ///
  /// - Parameters:
  ///   - named: Paths and calculations separated by commas; nil for all properties.
  ///   - omitted: Paths of columns that are left out.
  /// - Returns: The columns, followed by the distance if the query is sorted by it.
  /// - Throws: ``QueryPredicateError`` for an unknown path.
  package func columnarOutput(
    _ named: String?, without omitted: Set<PropertyPath> = []
  ) throws(QueryPredicateError) -> ColumnarOutput {
    let schema = snapshot.catalogue.schema
    var properties: [(column: OutputColumn, property: Property?)] = []
    if let named {
      for column in try columns(named) {
        let property =
          column.expression == nil
          ? try? schema.property(at: column.path, from: layout.schema) : nil
        properties.append((column, property))
      }
    } else {
      properties = layout.schema.properties.map { (OutputColumn($0.name, type: $0.type), $0) }
      if let distance { properties.append((OutputColumn(distance.path, type: .double), nil)) }
    }
    return ColumnarOutput(properties.filter { !omitted.contains($0.column.path) }, schema)
  }

  /// Returns keys in the order of a Hilbert curve through the geometries of their objects.
  ///
  /// The position of an object is the centre of the envelope of its first geometry, or its first
  /// point if the class has no geometry. Objects without a position are last. The order of equal
  /// positions is kept.
  ///
  /// - Parameter keys: The keys.
  /// - Returns: The keys in spatial order.
  /// - Throws: `StoreError` if the store cannot be read.
  /// - Complexity: O(n log n) in the number of keys.
  package func inHilbertOrder(_ keys: [Int64]) throws -> [Int64] {
    guard let location = positionColumns else { return keys }
    var (entries, found): ([RadixSort.Entry], [Int64]) = ([], [])
    entries.reserveCapacity(keys.count)
    try session.forEachBatch(keys, of: className, columns: location.columns) { batch in
      for row in batch.allRows {
        let position = location.position(in: batch, row).map {
          UInt64(HilbertCurve.position(longitude: $0.x, latitude: $0.y))
        }
        entries.append(.init(sortKey: position ?? .max, index: UInt32(found.count)))
        found.append(batch.key(row))
      }
    }
    RadixSort.sort(&entries)
    return entries.map { found[Int($0.index)] }
  }

  private var positionColumns: PositionColumns? {
    for (property, field) in zip(layout.schema.properties, layout.fields) {
      if property.type == .geometry, case .scalar(let column) = field { return .shape(column) }
    }
    for case .embedded(let embedded) in layout.fields {
      if let point = embedded.point { return .point(point) }
    }
    return nil
  }
}

/// The columns of a row that decide its position in spatial order.
private enum PositionColumns {
  case shape(Int)
  case point(PointColumns)

  /// The columns of the table.
  var columns: [Int] {
    switch self {
    case .shape(let column): [column]
    case .point(let point): [point.longitude, point.latitude]
    }
  }

  /// Returns the longitude and latitude in a row of a batch of the columns; nil if they are null.
  func position(in batch: borrowing ColumnBatch, _ row: Int) -> (x: Double, y: Double)? {
    switch self {
    case .shape:
      guard case .geometry(let geometry) = batch.columns[0].value(row) else { return nil }
      return geometry.planarEnvelope?.center
    case .point:
      guard !batch.columns[0].isNull(row), !batch.columns[1].isNull(row) else { return nil }
      return (batch.columns[0].double(row), batch.columns[1].double(row))
    }
  }
}

extension ObjectExport {
  /// Writes a Parquet file; returns the number of objects.
  func writeParquet(_ write: @escaping ([UInt8]) throws -> Void) throws -> Int {
    let rows = keepsOrder ? keys : try query.inHilbertOrder(keys)
    let report = try query.columnarOutput(select).withDateForms(of: query)
      .write(query, rows, groupRows: groupRows, to: write)
    for sentence in report.notices { notice(sentence) }
    return report.objects
  }

  /// Writes a FlatGeobuf file; returns the number of objects.
  func writeFlatGeobuf(to file: OutputFile) throws -> Int {
    var output = try FlatGeobufOutput(
      query, try query.columns(select), name: query.className)
    output.notice = notice
    return try output.write(keys, to: file)
  }
}

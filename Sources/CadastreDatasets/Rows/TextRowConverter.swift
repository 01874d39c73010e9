import CadastreGeometry
import CadastreModel
import CadastreStore

/// Turns the fields of a row of text into a row of a class's table.
struct TextRowConverter: RecordConverter {
  private enum Step {
    case scalar(column: Int, type: PropertyType, isOptional: Bool)
    case longitude
    case latitude
    case wkt
  }

  let properties: [Int]
  private let steps: [Step]
  private let header: [String]
  private let place: EmbeddedLayout?
  private let text: TextFields
  private let empty: ImportRow

  init(_ target: RowTarget, header: [String], text: TextFields) {
    self.header = header
    self.text = text
    empty = ImportRow(columns: target.layout.columns.count)
    place = target.place
    var properties: [Int] = []
    var steps: [Step] = []
    for destination in target.imported.targets {
      switch destination {
      case .longitude: steps.append(.longitude)
      case .latitude: steps.append(.latitude)
      case .wkt: steps.append(.wkt)
      case .property(let name):
        let (index, property, field) = target.property(name)
        guard case .scalar(let column) = field else {
          preconditionFailure("property '\(name)' is no single value")
        }
        properties.append(index)
        steps.append(.scalar(column: column, type: property.type, isOptional: property.isOptional))
      }
    }
    if place != nil, let index = target.layout.schema.index(of: ImportedClass.locationName) {
      properties.append(index)
    }
    self.properties = properties
    self.steps = steps
  }

  func row(_ record: CSVRecord) throws(Refusal) -> ImportRow {
    var row = empty
    var longitude: Double?
    var latitude: Double?
    for (index, step) in steps.enumerated() {
      let isNull = record.withField(index, text.isNull)
      switch step {
      case .scalar(let column, let type, let isOptional):
        if isNull {
          row.values[column] = try nullValue(type, isOptional: isOptional, index)
        } else {
          row.values[column] = try value(record, index, type)
        }
      case .longitude: longitude = isNull ? nil : try degrees(record, index, "longitude", 180)
      case .latitude: latitude = isNull ? nil : try degrees(record, index, "latitude", 90)
      case .wkt:
        guard !isNull else { continue }
        let point = try point(record, index)
        (longitude, latitude) = (point.longitude, point.latitude)
      }
    }
    switch (longitude, latitude) {
    case (let longitude?, let latitude?):
      place?.write(longitude: longitude, latitude: latitude, to: &row)
    case (nil, nil): break
    case (nil, _): throw Refusal(reason: "there is a latitude and no longitude")
    case (_, nil): throw Refusal(reason: "there is a longitude and no latitude")
    }
    return row
  }

  // MARK: Fields

  private func nullValue(
    _ type: PropertyType, isOptional: Bool, _ index: Int
  ) throws(Refusal) -> Value {
    // Values of any type may be null without being optional.
    if isOptional || type == .any { return .null }
    // An empty text is a text, where null is not allowed.
    if type == .string, text.nullIsEmpty { return .string("") }
    throw refusal(index, " is empty; expected a \(type), which is required")
  }

  private func value(
    _ record: CSVRecord, _ index: Int, _ type: PropertyType
  ) throws(Refusal) -> Value {
    let value: Value? = record.withField(index) { bytes in
      type.isNumeric
        ? text.withNumber(bytes) { TextValue.value($0, type) } : TextValue.value(bytes, type)
    }
    guard let value else {
      throw refusal(index, ": expected a \(type), found '\(shown(record, index))'")
    }
    return value
  }

  private func degrees(
    _ record: CSVRecord, _ index: Int, _ name: String, _ limit: Double
  ) throws(Refusal) -> Double {
    let degrees = record.withField(index) { text.withNumber($0, FieldParsing.double) }
    guard let degrees else {
      let hint = record.text(index).contains(",") ? "; for decimal commas give --decimal-comma" : ""
      throw refusal(
        index, ": expected a \(name) in degrees, found '\(shown(record, index))'\(hint)")
    }
    guard abs(degrees) <= limit else {
      throw refusal(
        index,
        ": \(name) \(shown(record, index)) is not within -\(Int(limit))…\(Int(limit)) degrees")
    }
    return degrees
  }

  private func point(_ record: CSVRecord, _ index: Int) throws(Refusal) -> GeoPoint {
    do throws(GeometryTextError) {
      return try GeoPoint(wkt: record.text(index))
    } catch {
      throw refusal(index, ": \(printable("\(error)"))")
    }
  }

  private func refusal(_ index: Int, _ words: String) -> Refusal {
    Refusal(field: header[index], reason: "column '\(printable(header[index]))'\(words)")
  }

  private func shown(_ record: CSVRecord, _ index: Int) -> String {
    printable(record.text(index).prefix(60))
  }
}

import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastreStore

/// Turns the fields of a row of text into a row of a class's table.
struct TextRowConverter: RecordConverter {
  private enum Step {
    case scalar(column: Int, type: PropertyType, isOptional: Bool)
    case degrees(Axis)
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
      case .longitude: steps.append(.degrees(.longitude))
      case .latitude: steps.append(.degrees(.latitude))
      case .wkt: steps.append(.wkt)
      case .property(let name):
        let (index, property, column) = target.scalar(name)
        properties.append(index)
        steps.append(.scalar(column: column, type: property.type, isOptional: property.isOptional))
      }
    }
    self.properties = target.filled(by: properties)
    self.steps = steps
  }

  func row(_ record: CSVRecord) throws(Refusal) -> ImportRow {
    var row = empty
    var degrees = PlaceFields()
    for (index, step) in steps.enumerated() {
      let isNull = record.withField(index, text.isNull)
      switch step {
      case .scalar(let column, let type, let isOptional):
        if isNull {
          row.values[column] = try nullValue(type, isOptional: isOptional, index)
        } else {
          row.values[column] = try value(record, index, type)
        }
      case .degrees(let axis):
        degrees[axis] = isNull ? nil : try self.degrees(record, index, axis)
      case .wkt:
        guard !isNull else { continue }
        let point = try point(record, index)
        (degrees[.longitude], degrees[.latitude]) = (point.longitude, point.latitude)
      }
    }
    try degrees.write(to: &row, in: place)
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
    _ record: CSVRecord, _ index: Int, _ axis: Axis
  ) throws(Refusal) -> Double {
    let degrees = record.withField(index) { text.withNumber($0, FieldParsing.double) }
    guard let degrees else {
      let hint = record.text(index).contains(",") ? "; for decimal commas give --decimal-comma" : ""
      throw refusal(
        index, ": expected a \(axis) in degrees, found '\(shown(record, index))'\(hint)")
    }
    if let fault = axis.fault(degrees, shown: shown(record, index)) {
      throw refusal(index, ": \(fault)")
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

import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore
import Foundation

/// The assignment of a value to a field, in the syntax of the command line: "FIELD=VALUE".
///
/// The value is text as in a table; `null` denotes null, and text in double quotes is a JSON string.
/// The value of a point is "LON,LAT". The value of a number may be a calculation of fields, `population / area`.
struct FieldAssignment {
  /// The field.
  let path: PropertyPath
  /// The embedded object that contains the field; nil for a field of the class itself.
  let owner: PropertyPath?
  /// Whether the field is the primary key.
  let isPrimaryKey: Bool
  /// The columns and their values; for a calculation the column with null.
  let changes: [(column: Int, value: Value)]
  /// The calculation of the value, and the property that takes it; nil for a given value.
  let calculation: (expression: FieldExpression, property: Property)?

  /// Parses assignments to different fields.
  ///
  /// - Parameters:
  ///   - texts: The assignments.
  ///   - layout: The table of the class.
  ///   - schema: The schema of the store.
  /// - Returns: The assignments in their order.
  /// - Throws: ``ChangeError``, or ``QueryPredicateError`` for an unknown field.
  static func list(
    _ texts: [String], _ layout: TableLayout, _ schema: Schema
  ) throws -> [FieldAssignment] {
    var assignments: [FieldAssignment] = []
    for text in texts {
      let assignment = try FieldAssignment(text, layout, schema)
      guard !assignments.contains(where: { $0.path == assignment.path }) else {
        throw ChangeError("'\(assignment.path)' occurs twice; expected it once")
      }
      assignments.append(assignment)
    }
    return assignments
  }

  private init(_ text: String, _ layout: TableLayout, _ schema: Schema) throws {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
      throw ChangeError("expected FIELD=VALUE, found '\(printable(text))'")
    }
    let path = PropertyPath(text[..<sign].trimmingCharacters(in: .whitespaces))
    let word = String(text[text.index(after: sign)...])
    let property = try schema.property(at: path, from: layout.schema)
    var field = try Self.field(path.names[0], layout.schema, layout.fields, path)
    for name in path.names.dropFirst() {
      guard case .embedded(let embedded) = field, embedded.point == nil else {
        throw Self.unsupported(path, property)
      }
      field = try Self.field(name, embedded.schema, embedded.fields, path)
    }
    self.path = path
    owner = path.names.count > 1 ? PropertyPath(Array(path.names.dropLast())) : nil
    isPrimaryKey = property.isPrimaryKey
    switch field {
    case .scalar(let column):
      if let expression = try Self.calculation(word, property, layout.schema, schema) {
        calculation = (expression, property)
        changes = [(column, .null)]
        return
      }
      try Self.refuseFieldAsText(word, property, layout.schema, path)
      changes = [(column, try Self.value(word, property, path))]
    case .embedded(let embedded):
      guard embedded.point != nil else { throw Self.unsupported(path, property) }
      changes = try Self.point(word, embedded, layout.columns.count, path)
    case .link, .owned, .collection, .pointType, .pointCoordinates:
      throw Self.unsupported(path, property)
    }
    calculation = nil
  }

  /// Throws an error if the text for a field of texts is the name of a field, or a call with one, because texts are not
  /// calculated.
  private static func refuseFieldAsText(
    _ word: String, _ property: Property, _ root: ObjectSchema, _ path: PropertyPath
  ) throws(ChangeError) {
    guard property.type == .string else { return }
    let name = word.wholeMatch(of: /\s*(?:\w+\()?(\w+)\)?\s*/).map { String($0.1) }
    guard let name, root[name] != nil else { return }
    throw ChangeError(
      "'\(path)=\(printable(word))': '\(name)' is a field, and texts are not calculated; expected the text itself, in double "
        + "quotes where it is meant: '\(path)=\"\(printable(word))\"'")
  }

  /// Returns the calculation that a text is for a number; nil for a value.
  private static func calculation(
    _ word: String, _ property: Property, _ root: ObjectSchema, _ schema: Schema
  ) throws(QueryPredicateError) -> FieldExpression? {
    guard property.type.isNumeric else { return nil }
    var text = word
    let isValue = word == "null" || text.withUTF8 { TextValue.value($0, property.type) } != nil
    guard !isValue else { return nil }
    let name = String(word.trimmingBlanks())
    // A field alone is a calculation too: a copy of its values.
    let isField = root[name]?.type.isNumeric == true
    if !isField, name.contains("."), !name.contains(" "),
      let copied = try? FieldExpression("\(name) * 1", root, in: schema)
    {
      return copied
    }
    guard isField || FieldExpression.isExpression(word) else { return nil }
    return try FieldExpression(isField ? "\(name) * 1" : word, root, in: schema)
  }

  /// Returns the value of the calculation for an object, as the type of the property.
  ///
  /// - Parameters:
  ///   - calculation: The calculation.
  ///   - read: Reads a field of the object.
  /// - Returns: The value.
  /// - Throws: ``ChangeError`` if the result does not fit the property.
  static func value(
    of calculation: (expression: FieldExpression, property: Property),
    _ read: (PropertyPath) -> Value
  ) throws(ChangeError) -> Value {
    let property = calculation.property
    var value = calculation.expression.value(read)
    // A result that is no number, as a division by zero gives, is no value.
    if value.doubleValue?.isFinite == false { value = .null }
    if value.isNull {
      guard property.isOptional else {
        throw ChangeError(
          "'\(property.name)' is required, and '\(calculation.expression.text)' has no result for an object"
        )
      }
      return .null
    }
    guard let converted = TypedValue.value(value, property.type),
      converted.doubleValue?.isFinite != false
    else {
      throw ChangeError(
        "'\(property.name)': '\(calculation.expression.text)' gives "
          + "\(FieldText.plain(.value(value))) for an object; expected \(articled(property.type))")
    }
    return converted
  }

  private static func field(
    _ name: String, _ schema: ObjectSchema, _ fields: [FieldLayout], _ path: PropertyPath
  ) throws(ChangeError) -> FieldLayout {
    guard let index = schema.index(of: name) else {
      throw ChangeError("'\(path)' is not a field of '\(schema.className)'")
    }
    return fields[index]
  }

  private static func unsupported(_ path: PropertyPath, _ property: Property) -> ChangeError {
    ChangeError(
      "'\(path)' is '\(property.typeDescription)'; expected a field with a single value, or a point"
    )
  }

  private static func value(
    _ word: String, _ property: Property, _ path: PropertyPath
  ) throws(ChangeError) -> Value {
    if word == "null" {
      guard property.isOptional || property.type == .any else {
        throw ChangeError("'\(path)' is required; expected \(articled(property.type)), found null")
      }
      return .null
    }
    if property.type == .any || property.type == .string && word.hasPrefix("\"") {
      let argument = try? PredicateArgument(commandLine: word.hasPrefix("@") ? "\"\(word)\"" : word)
      if case .value(let value) = argument { return value }
    }
    var text = word
    guard let value = text.withUTF8({ TextValue.value($0, property.type) }) else {
      throw ChangeError(
        "'\(path)': expected \(articled(property.type)), found '\(printable(word.prefix(60)))'")
    }
    return value
  }

  /// Returns the columns of a point with their values, which are null without a point.
  private static func point(
    _ word: String, _ embedded: EmbeddedLayout, _ columns: Int, _ path: PropertyPath
  ) throws(ChangeError) -> [(column: Int, value: Value)] {
    var row = ImportRow(columns: columns)
    if word != "null" {
      guard let point = CoordinateText.point(word) else {
        throw ChangeError(
          "'\(path)': expected LON,LAT in degrees such as 2.35,48.86, or null, found "
            + "'\(printable(word.prefix(60)))'")
      }
      embedded.write(longitude: point.longitude, latitude: point.latitude, to: &row)
    }
    return embedded.columns.map { ($0, row.values[$0]) }
  }
}

import CadastreFormatting
package import CadastreModel

/// What a field of some files was found to hold, over all of their records.
package struct DatasetField: Hashable, Sendable {
  /// The name, as the files have it.
  package var name: String
  /// What its values have in common.
  package var shape: DatasetShape
  /// Whether a record without a value was seen, or none with one.
  package var isOptional: Bool
  /// Why the shape was chosen, as a sentence without its full stop.
  package var reason: String

  /// States a field.
  package init(name: String, shape: DatasetShape, isOptional: Bool, reason: String = "") {
    self.name = name
    self.shape = shape
    self.isOptional = isOptional
    self.reason = reason
  }
}

/// What a value of a file becomes.
package indirect enum DatasetShape: Hashable, Sendable {
  /// A single value; of any type where values have nothing in common.
  case scalar(PropertyType)
  /// Nothing but nulls, for which a new class has some type.
  case nothing(PropertyType)
  /// An embedded point.
  case place
  /// An embedded object.
  case object([DatasetField])
  /// Values in order, some of them null where they are optional.
  case list(DatasetShape, isOptional: Bool)
  /// Values under keys, some of them null where they are optional.
  case map(DatasetShape, isOptional: Bool)

  /// The shape in words: `int`, `point`, `list of double`.
  package var words: String {
    switch self {
    case .scalar(.any): "any value"
    case .scalar(let type): type.description
    case .nothing: "nothing but nulls"
    case .place: "point"
    case .object(let fields): "object of \(listed(fields.map(\.name)))"
    case .list(let element, _): "list of \(element.words)"
    case .map(let value, _): "map of \(value.words)"
    }
  }
}

/// What some files hold.
package struct DatasetSchema: Hashable, Sendable {
  /// The fields, in the order in which they were first seen.
  package var fields: [DatasetField]
  /// Whether records have a place beside their fields.
  package var hasPlace: Bool

  /// States what was found.
  package init(fields: [DatasetField], hasPlace: Bool) {
    self.fields = fields
    self.hasPlace = hasPlace
  }
}

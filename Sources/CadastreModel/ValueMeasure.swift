/// A value that is computed from a geometry or a date, the last step of a property path: `border.area`,
/// `opened.year`.
package enum ValueMeasure: Hashable, Sendable {
  /// A measure of a geometry.
  case geometry(GeometryMeasure)
  /// A part of a date.
  case date(CalendarPart)

  /// Finds the measure with a name; nil if values of the type have none.
  package init?(_ name: String, of type: PropertyType) {
    switch type {
    case .geometry:
      guard let measure = GeometryMeasure(rawValue: name) else { return nil }
      self = .geometry(measure)
    case .date:
      guard let part = CalendarPart(rawValue: name) else { return nil }
      self = .date(part)
    default: return nil
    }
  }

  /// Returns the names of the measures of a type.
  package static func names(of type: PropertyType) -> [String] {
    switch type {
    case .geometry: GeometryMeasure.allCases.map(\.rawValue)
    case .date: CalendarPart.allCases.map(\.rawValue)
    default: []
    }
  }

  /// The name.
  package var name: String {
    switch self {
    case .geometry(let measure): measure.rawValue
    case .date(let part): part.rawValue
    }
  }

  /// The type of the values that have the measure.
  package var source: PropertyType {
    switch self {
    case .geometry: .geometry
    case .date: .date
    }
  }

  /// The type of the measure.
  package var type: PropertyType {
    switch self {
    case .geometry(let measure): measure.type
    case .date: .int
    }
  }

  /// Whether the measure is null for some values.
  package var isOptional: Bool {
    switch self {
    case .geometry(let measure): measure.isOptional
    case .date: false
    }
  }

  /// Returns the measure of a value; null if it has none.
  package func value(of value: Value) -> Value {
    switch (self, value) {
    case (.geometry(let measure), _): measure.value(of: value)
    case (.date(let part), .date(let date)): .int(part.value(of: date))
    case (.date, _): .null
    }
  }

  /// Returns the measure of a value by its name; nil if values of its type have none with the name.
  package static func value(_ name: String, of value: Value) -> Value? {
    value.type.flatMap { ValueMeasure(name, of: $0) }?.value(of: value)
  }
}

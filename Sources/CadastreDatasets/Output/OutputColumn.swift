package import CadastreModel

/// A column of the output.
package struct OutputColumn: Hashable, Sendable {
  /// The path of the content in a record; only the name of the column if it has an expression.
  package let path: PropertyPath
  /// The type of a single value; nil for other content.
  package let type: PropertyType?
  /// Whether the content is a point.
  package let isPoint: Bool
  /// Whether the dates are days, which are written without a time where they have none.
  package var isDay = false
  /// The expression that gives the content; nil for the content at the path.
  let expression: FieldExpression?

  /// Creates a column for a path.
  package init(_ path: PropertyPath, type: PropertyType?, isPoint: Bool = false) {
    self.path = path
    self.type = type
    self.isPoint = isPoint
    expression = nil
  }

  /// Creates a column with the results of an expression.
  init(_ name: String, _ expression: FieldExpression) {
    path = PropertyPath([name])
    type = expression.type
    isPoint = false
    self.expression = expression
  }

  /// Creates a column for a single name, which may contain full stops.
  package init(_ name: String, type: PropertyType?) {
    self.init(PropertyPath([name]), type: type)
  }

  /// Whether the values are numbers, which are aligned to the right in tables.
  var isNumeric: Bool { type?.isNumeric == true }
}

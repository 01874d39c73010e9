package import CadastreModel

/// A column of the output.
package struct OutputColumn: Hashable, Sendable {
  /// The path of the content in a record.
  package let path: PropertyPath
  /// The type of a single value; nil for other content.
  package let type: PropertyType?
  /// Whether the content is a point.
  package let isPoint: Bool

  /// Creates a column for a path.
  package init(_ path: PropertyPath, type: PropertyType?, isPoint: Bool = false) {
    self.path = path
    self.type = type
    self.isPoint = isPoint
  }

  /// Creates a column for a single name, which may contain full stops.
  package init(_ name: String, type: PropertyType?) {
    self.init(PropertyPath([name]), type: type)
  }

  /// Whether the values are numbers, which are aligned to the right in tables.
  var isNumeric: Bool { type?.isNumeric == true }
}

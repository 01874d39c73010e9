package import CadastreModel

/// One thing that is printed of each object.
package struct OutputColumn: Hashable, Sendable {
  /// Where it is found in a record.
  package let path: PropertyPath
  /// The type of a single value; nil for everything else.
  package let type: PropertyType?
  /// Whether it is a place.
  package let isPlace: Bool

  /// States a column at a path.
  package init(_ path: PropertyPath, type: PropertyType?, isPlace: Bool = false) {
    self.path = path
    self.type = type
    self.isPlace = isPlace
  }

  /// States a column of a single value under one name, whatever is in the name.
  package init(_ name: String, type: PropertyType?) {
    self.init(PropertyPath([name]), type: type)
  }

  /// Whether it holds numbers, which stand to the right in tables.
  var isNumeric: Bool { type?.isNumeric == true }
}

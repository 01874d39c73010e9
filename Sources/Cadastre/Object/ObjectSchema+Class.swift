public import CadastreModel

extension ObjectSchema {
  /// The Swift class that was described; `DynamicObject` where the program has none.
  public var objectClass: AnyClass { ClassInfo.type(describedBy: self) ?? DynamicObject.self }

  /// The property at the end of a path through single links and embedded objects, or a measure of a
  /// geometry at its end; nil where there is none.
  ///
  /// - Parameters:
  ///   - names: The names of the properties.
  ///   - target: Finds the class that a property leads to.
  /// - Returns: The property.
  func property(at names: [String], _ target: (Property) -> ObjectSchema?) -> Property? {
    var owner: ObjectSchema? = self
    var property: Property?
    for name in names {
      if property?.isSingleGeometry == true {
        property = GeometryMeasure(rawValue: name).map {
          Property(name: name, type: $0.type, isOptional: true)
        }
        continue
      }
      property = owner?[name]
      owner = property.flatMap { $0.collection == nil ? target($0) : nil }
    }
    return property
  }
}

public import CadastreModel

extension ObjectSchema {
  /// The Swift class that was described; `DynamicObject` where the program has none.
  public var objectClass: AnyClass { ClassInfo.type(describedBy: self) ?? DynamicObject.self }
}

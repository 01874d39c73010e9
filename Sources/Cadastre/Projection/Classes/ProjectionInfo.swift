import CadastreModel
@_spi(Reflection) import Swift

/// The properties of projection classes, and the key paths behind them.
enum ProjectionInfo {
  /// One projected property.
  struct Field {
    let label: String
    /// The property of the root class, names joined by dots.
    let propertyName: String
    /// The value, read from a root object.
    let value: (ObjectBase) -> Any?

    /// The value as text.
    func text(of object: ObjectBase) -> String {
      let value = value(object)
      guard let value, !DynamicValue.isNothing(value) else { return "(null)" }
      return "\((value as? any OptionalValue)?.unwrapped ?? value)"
    }
  }

  // Safe because key paths of properties hold no captured values.
  private struct Known: @unchecked Sendable { var fields: [ObjectIdentifier: [Field]] = [:] }
  private static let known = Guarded(Known())

  /// The properties of a projection class, computed once.
  ///
  /// A key path that names no persisted property stops the process.
  @discardableResult
  static func fields(of projection: AnyObject) -> [Field] {
    let type: any AnyObject.Type = Swift.type(of: projection)
    if let fields = known.withLock({ $0.fields[ObjectIdentifier(type)] }) { return fields }
    let fields = find(in: projection, of: type)
    known.withLock { $0.fields[ObjectIdentifier(type)] = fields }
    return fields
  }

  /// The option to enumerate the fields of a class, inherited ones included.
  private static let classFields = _EachFieldOptions(rawValue: 1)

  private static func find(in projection: AnyObject, of type: any AnyObject.Type) -> [Field] {
    let start = UnsafeRawPointer(Unmanaged.passUnretained(projection).toOpaque())
    var fields: [Field] = []
    _ = _forEachField(of: type, options: classFields) { name, offset, fieldType, _ in
      guard let property = fieldType as? any ProjectedProperty.Type else { return true }
      // The storage of a wrapped property has its name after an underscore.
      let label = String(String(cString: name).dropFirst())
      fields.append(property.field(at: start + offset, label: label))
      return true
    }
    return fields
  }

  /// The property of the root class that a key path from a class of projections leads to.
  static func propertyName<Root, View: Projection<Root>>(
    of keyPath: AnyKeyPath, _ type: View.Type
  ) -> String {
    guard let keyPath = keyPath as? PartialKeyPath<View> else {
      ProgrammingError.stop(
        "A key path from '\(Swift.type(of: keyPath).rootType)' names nothing of '\(type)'.")
    }
    let (way, _) = PropertyNames.way(from: Root.self) { root in
      View(projecting: root)[keyPath: keyPath]
    }
    guard let way else {
      ProgrammingError.stop(
        "A key path of '\(type)' does not lead to a persisted property of '\(Root.className())': use "
          + "one that is marked @Projected.")
    }
    return way.joined(separator: ".")
  }
}

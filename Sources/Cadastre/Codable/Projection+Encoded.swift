extension Projection {
  /// Returns a copy of the projected values that any encoder can write.
  ///
  /// The members are the `@Projected` properties, under their names in the projection.
  /// ``ObjectBase/encoded(depth:)`` describes the form of their values.
  ///
  /// - Parameter depth: The number of links that are followed; 0 encodes all links as keys.
  /// - Returns: The copy, which is `Sendable`.
  /// - Throws: ``Realm/Error`` when reading fails. `EncodingError.invalidValue` for objects that are
  ///   nested on more than 200 levels.
  public func encoded(depth: Int = 1) throws -> EncodedObject {
    try rootObject.realm.checkingReads {
      var capture = ObjectCapture()
      return try capture.projection(self, rootObject, depth: depth)
    }
  }
}

extension Sequence where Element: ProjectionProtocol {
  /// Returns a copy of the values of each projection, in order, that any encoder can write.
  ///
  /// - Parameter depth: The number of links that are followed; 0 encodes all links as keys.
  /// - Returns: The copies, in the form of ``Projection/encoded(depth:)``.
  /// - Throws: ``Realm/Error`` when reading fails. `EncodingError.invalidValue` for objects that are
  ///   nested on more than 200 levels.
  public func encoded(depth: Int = 1) throws -> [EncodedObject] {
    try ((self as? any ThreadConfined)?.realm).checkingReads {
      var capture = ObjectCapture()
      var copies: [EncodedObject] = []
      for projection in self {
        copies.append(try capture.projection(projection, projection.rootObject, depth: depth))
      }
      return copies
    }
  }
}

extension ObjectCapture {
  /// Copies the projected values of an object.
  fileprivate mutating func projection(
    _ projection: AnyObject, _ root: ObjectBase, depth: Int
  ) throws -> EncodedObject {
    var members: [EncodedObject.Member] = []
    for field in ProjectionInfo.fields(of: projection) {
      let copy = try content(Self.content(of: field.value(root)), depth: depth)
      members.append(EncodedObject.Member(name: field.label, content: copy))
    }
    return EncodedObject(members: members)
  }

  /// The content of a value of any type that a key path through properties can have.
  private static func content(of value: Any?) -> RowContent {
    switch value {
    case let collection as any ProjectedElements: .elements(collection.contents)
    case let objects as any RealmCollection: .elements(elements(of: objects))
    case let value as any Persistable: RowContent(unmanaged: DynamicValue.content(of: value))
    default: .null
    }
  }

  private static func elements(of collection: some RealmCollection) -> [RowContent] {
    var contents: [RowContent] = []
    for element in collection {
      contents.append(RowContent(unmanaged: DynamicValue.content(of: element)))
    }
    return contents
  }
}

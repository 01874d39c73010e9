extension ObjectBase {
  /// Returns a copy of the object's values that any encoder can write.
  ///
  ///     let json = try JSONEncoder().encode(place.encoded(depth: 1))
  ///
  /// The members are the stored properties, under their names in Swift and with their stored values:
  /// an enumeration as its raw value, a mapped type as its persisted value, a `Decimal128` or an
  /// `ObjectId` as text. Null is encoded as null. Lists and sets are arrays, maps are dictionaries, and
  /// embedded objects are nested, so a point is GeoJSON. Linking objects are left out.
  ///
  /// A linked object is nested while the depth lasts. Beyond it, a link is the primary key of its
  /// object. A property that leads to a class without primary key is left out there, and such an object
  /// in an `AnyRealmValue` is null. So a cycle of links ends with the depth.
  ///
  /// ``Realm/create(checking:value:update:mode:)`` reads the JSON of such a copy.
  ///
  /// - Parameter depth: The number of links that are followed; 0 encodes all links as keys.
  /// - Returns: The copy, which is `Sendable`.
  /// - Throws: ``Realm/Error`` when reading fails. `EncodingError.invalidValue` for objects that are
  ///   nested on more than 200 levels.
  public func encoded(depth: Int = 1) throws -> EncodedObject {
    try realm.checkingReads {
      var capture = ObjectCapture()
      return try capture.object(self, depth: depth)
    }
  }
}

extension Sequence where Element: ObjectBase {
  /// Returns a copy of each object's values, in order, that any encoder can write.
  ///
  ///     let near = realm.objects(Place.self).nearest(10, to: here)
  ///     let json = try JSONEncoder().encode(near.encoded(depth: 1))
  ///
  /// The sequence is a result, a list, a set, linking objects, a section, an array, or a part of one of
  /// them. ``ObjectBase/encoded(depth:)`` describes the form of an object. An object that several
  /// others lead to is read once.
  ///
  /// - Parameter depth: The number of links that are followed; 0 encodes all links as keys.
  /// - Returns: The copies, which are `Sendable`.
  /// - Throws: ``Realm/Error`` when reading fails. `EncodingError.invalidValue` for objects that are
  ///   nested on more than 200 levels.
  public func encoded(depth: Int = 1) throws -> [EncodedObject] {
    try ((self as? any ThreadConfined)?.realm).checkingReads {
      var capture = ObjectCapture()
      // Not `map`, which stops the process where damaged pages have fewer elements than were counted.
      var copies: [EncodedObject] = []
      for object in self { copies.append(try capture.object(object, depth: depth)) }
      return copies
    }
  }
}

extension Map where Value: OptionalObject {
  /// Returns a copy of each object's values by its key; nil for null.
  ///
  /// - Parameter depth: The number of links that are followed; 0 encodes all links as keys.
  /// - Returns: The copies, in the form of ``ObjectBase/encoded(depth:)``.
  /// - Throws: ``Realm/Error`` when reading fails. `EncodingError.invalidValue` for objects that are
  ///   nested on more than 200 levels.
  public func encoded(depth: Int = 1) throws -> [String: EncodedObject?] {
    try realm.checkingReads {
      var capture = ObjectCapture()
      var copies: [String: EncodedObject?] = [:]
      for (key, value) in asKeyValueSequence() {
        let object = DynamicValue.object(value)
        copies.updateValue(
          try object.map { try capture.object($0, depth: depth) }, forKey: key.mapKey)
      }
      return copies
    }
  }
}

extension Realm? {
  /// Runs a block, and throws the first error of its reads; there is none without a Realm.
  func checkingReads<Result>(_ block: () throws -> Result) throws -> Result {
    guard let realm = self else { return try block() }
    let result = try realm.checkingReads(block)
    if let failure = realm.core.failure { throw failure }
    return result
  }
}

package import CadastreModel

extension ObjectReference {
  /// The object as a value in a comparison.
  ///
  /// - Parameter primaryKey: Finds the row, where the reference names it by its primary key.
  /// - Returns: A value that equals that of the same object only; nil where it does not exist.
  /// - Throws: What `primaryKey` throws.
  package func value<Failure>(
    primaryKey: () throws(Failure) -> ObjectKey?
  ) throws(Failure) -> Value? {
    switch identity {
    case .key(let key): .object(ObjectAddress(className: className, key: key))
    case .primaryKey:
      try primaryKey().map { .object(ObjectAddress(className: className, key: $0)) }
    case .embedded(let owner, let path, let number):
      .embedded(in: owner, at: path, number: number)
    case .unmanaged: nil
    }
  }
}

extension Value {
  /// An embedded object in its owner's row as a value in a comparison: an address that no row has,
  /// because no class name contains a null character.
  package static func embedded(
    in owner: ObjectAddress, at path: PropertyPath, number: Int64
  ) -> Value {
    let place = [owner.className, "\(owner.key)"] + path.names
    return .object(
      ObjectAddress(className: place.joined(separator: "\0"), key: ObjectKey(number)))
  }
}

public import CadastreModel

/// An object named in a predicate.
public struct ObjectReference: Hashable, Sendable {
  /// How the object is identified.
  public enum Identity: Hashable, Sendable {
    /// By the key of its row.
    case key(ObjectKey)
    /// By the value of its primary key.
    case primaryKey(Value)
    /// By its field in the row of its owner, for an embedded object stored there; the number
    /// distinguishes it from the objects that the field holds before and after it.
    case embedded(in: ObjectAddress, at: PropertyPath, number: Int64)
    /// Not stored anywhere: equal to nothing.
    case unmanaged
  }

  /// The name of its class.
  public var className: String
  /// Which of the class it is.
  public var identity: Identity
  /// The path of the store of the object, where a key alone does not identify it; nil for the
  /// queried store.
  package var store: String?

  /// Names an object.
  public init(className: String, identity: Identity) {
    self.className = className
    self.identity = identity
  }
}

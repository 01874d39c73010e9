import CSwiftRuntime

/// A managed instance of a class without a row.
///
/// New instances are copies of its bytes.
///
/// A copy costs a fraction of `init()` and of attaching each property. It is correct where every
/// stored property is a persisted one: a managed property holds an index, and nothing that is
/// reference-counted. The `init()` of the class does not run for such objects.
final class InstanceTemplate: Sendable {
  // Safe because it is never changed once it is made, and never leaves this type.
  private nonisolated(unsafe) let instance: ObjectBase

  /// A template of an instance all of whose properties are managed; nil where instances cannot be
  /// copied.
  init?(_ instance: ObjectBase) {
    guard Self.baseSize > 0 else { return nil }
    self.instance = instance
  }

  /// The size in bytes of the fields that all objects have; 0 where instances cannot be copied.
  static let baseSize =
    RuntimeFeatures.copiesInstances
    ? cadastre_object_size(
      // Invariant: a class type is represented by the pointer to its metadata.
      unsafeBitCast(ObjectBase.self, to: UnsafeRawPointer.self)) : 0

  /// Returns a new managed instance, whose position is not yet set.
  func makeInstance() -> ObjectBase? {
    let address = Unmanaged.passUnretained(instance).toOpaque()
    return cadastre_copy_object(address).map {
      Unmanaged<ObjectBase>.fromOpaque($0).takeRetainedValue()
    }
  }
}

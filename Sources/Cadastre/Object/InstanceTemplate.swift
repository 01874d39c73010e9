import CSwiftRuntime

/// A managed instance of a class that stands for no row, of which copies are made byte by byte.
///
/// That takes a fraction of what `init()` and attaching each property take, and is right where every
/// stored property is a persisted one: managed, they are the number of a property each, and nothing
/// that is counted. As in Realm, a class's `init()` does not run for objects that are read.
final class InstanceTemplate: Sendable {
  // Never changed once it is made, and never handed out.
  private nonisolated(unsafe) let instance: ObjectBase

  /// A template of an instance all of whose properties are managed; nil where instances are laid out
  /// otherwise.
  init?(_ instance: ObjectBase) {
    guard Self.baseSize > 0 else { return nil }
    self.instance = instance
  }

  /// The bytes of what all objects have; 0 where that cannot be known.
  static let baseSize = cadastre_object_size(
    unsafeBitCast(ObjectBase.self, to: UnsafeRawPointer.self))

  /// A new managed instance, of which the position is still to be set.
  func makeInstance() -> ObjectBase? {
    let address = Unmanaged.passUnretained(instance).toOpaque()
    return cadastre_copy_object(address).map {
      Unmanaged<ObjectBase>.fromOpaque($0).takeRetainedValue()
    }
  }
}

import CSwiftRuntime
@_spi(Reflection) import Swift

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// Finds the model classes of the program, and the stored properties of classes.
enum ClassDiscovery {
  /// Calls a closure with the name, the offset in bytes and the type of each stored property of a class, inherited
  /// ones included.
  static func forEachField(
    of type: any AnyObject.Type, _ body: (_ name: String, _ offset: Int, _ type: Any.Type) -> Void
  ) {
    let classFields = _EachFieldOptions(rawValue: 1)
    _ = _forEachField(of: type, options: classFields) { name, offset, type, _ in
      body(String(cString: name), offset, type)
      return true
    }
  }

  /// The classes that a Realm without `objectTypes` manages.
  ///
  /// Two classes with the same name stop the process.
  static let defaultClasses: [ObjectBase.Type] = {
    var byName: [String: ObjectBase.Type] = [:]
    for type in all where type.shouldIncludeInDefaultSchema() {
      guard ClassInfo.of(type).hasProperties else { continue }
      let name = type.className()
      if let other = byName[name], other != type {
        ProgrammingError.stop(
          "Two model classes are called '\(name)': \(String(reflecting: other)) and "
            + "\(String(reflecting: type)). Rename one, or list the classes of each Realm in "
            + "Realm.Configuration.objectTypes.")
      }
      byName[name] = type
    }
    return byName.values.sorted { $0.className() < $1.className() }
  }()

  /// All subclasses of `Object` and `EmbeddedObject` in the program.
  private static var all: [ObjectBase.Type] {
    let bases: [ObjectBase.Type] = [ObjectBase.self, Object.self, EmbeddedObject.self]
    return allClasses().filter { type in !bases.contains { $0 == type } }
  }

  #if canImport(ObjectiveC)
    static func allClasses() -> [ObjectBase.Type] {
      var count: UInt32 = 0
      guard let classes = objc_copyClassList(&count) else { return [] }
      defer { free(UnsafeMutableRawPointer(classes)) }
      return (0..<Int(count)).compactMap { index in
        var ancestor: AnyClass? = classes[index]
        while let current = ancestor {
          if current == ObjectBase.self { return classes[index] as? ObjectBase.Type }
          ancestor = class_getSuperclass(current)
        }
        return nil
      }
    }
  #else
    static func allClasses() -> [ObjectBase.Type] {
      final class Found { var types: [ObjectBase.Type] = [] }
      let found = Found()
      cadastre_each_class(
        { metadata, context in
          guard let metadata, let context else { return }
          // Invariant: a class type is represented by the pointer to its metadata.
          let type: AnyClass = unsafeBitCast(metadata, to: AnyClass.self)
          guard let model = type as? ObjectBase.Type else { return }
          Unmanaged<Found>.fromOpaque(context).takeUnretainedValue().types.append(model)
        }, Unmanaged.passUnretained(found).toOpaque())
      return found.types
    }
  #endif
}

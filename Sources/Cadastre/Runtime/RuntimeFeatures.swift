import CSwiftRuntime
import Foundation

/// The features of the Swift runtime that the object layer uses beyond the language.
///
/// Each feature is checked once per process on a probe class, and has a fallback:
///
/// - classes: Without a list of classes, `Realm.Configuration.objectTypes` must name them.
/// - instances: Without copies of instances, `init()` makes each managed instance.
/// - counts: Without reference counts, a loop makes an instance for each object.
/// - references: Without retaining unowned references, Swift's weak references refer to open
///   Realms.
/// - executors: Without the current executor, use of a Realm on another actor is not detected, and a
///   Realm that an actor opens in a function without isolation is confined to the task.
///
/// The environment variable `CADASTRE_RUNTIME_FALLBACKS`, a list such as `classes,instances`,
/// forces fallbacks; the tests run with each of them.
enum RuntimeFeatures {
  private static let forced: Set<String> = {
    let names = ProcessInfo.processInfo.environment["CADASTRE_RUNTIME_FALLBACKS"] ?? ""
    return Set(names.split(separator: ",").map(String.init))
  }()

  /// Whether the program's classes can be listed.
  static let listsClasses =
    !forced.contains("classes") && ClassDiscovery.allClasses().contains { $0 == RuntimeProbe.self }

  /// Whether instances can be copied byte by byte.
  static let copiesInstances = !forced.contains("instances") && RuntimeProbe.canBeCopied()

  /// The reference counts of an instance with exactly one strong reference; nil if they cannot be read.
  static let countsOfSoleReference: UInt64? =
    !forced.contains("counts") && copiesInstances ? RuntimeProbe.countsOfSoleReference() : nil

  /// Whether an unowned reference to a live object can be retained.
  static let retainsUnowned = !forced.contains("references") && cadastre_can_retain_if_alive()

  /// Whether the runtime provides the executor of the caller.
  static let knowsExecutor = !forced.contains("executors") && cadastre_knows_executor()
}

/// A class on which the features of the runtime are checked.
final class RuntimeProbe: ObjectBase {
  @Persisted var number = 0
  @Persisted var text = ""

  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  /// Returns whether the size of an object can be read, and a copy of the bytes of an object is an object of
  /// the same class with the same contents.
  fileprivate static func canBeCopied() -> Bool {
    let size = cadastre_object_size(
      // Invariant: a class type is represented by the pointer to its metadata.
      unsafeBitCast(RuntimeProbe.self, to: UnsafeRawPointer.self))
    guard let end = fields.map({ $0.offset + $0.size }).max(), size >= end, size < end + 16 else {
      return false
    }
    let probe = RuntimeProbe()
    let address = Unmanaged.passUnretained(probe).toOpaque()
    attach(probe)
    guard let copied = cadastre_copy_object(address) else { return false }
    let copy = Unmanaged<ObjectBase>.fromOpaque(copied).takeRetainedValue()
    let start = 2 * MemoryLayout<UnsafeRawPointer>.size
    return copy !== probe && type(of: copy) == RuntimeProbe.self
      && memcmp(address + start, copied + start, size - start) == 0
  }

  /// Makes the properties of an instance managed; a managed property contains an index and no reference.
  static func attach(_ probe: RuntimeProbe) {
    for (index, field) in fields.suffix(2).enumerated() {
      let property: any PersistedProperty.Type =
        index == 0 ? Persisted<Int>.self : Persisted<String>.self
      property.attach(
        at: Unmanaged.passUnretained(probe).toOpaque() + field.offset, of: probe, property: index)
    }
  }

  /// The stored properties of the class, inherited ones included, in bytes from the start of an instance.
  private static var fields: [(offset: Int, size: Int)] {
    var fields: [(offset: Int, size: Int)] = []
    ClassDiscovery.forEachField(of: RuntimeProbe.self) { _, offset, type in
      func append<Field>(_: Field.Type) { fields.append((offset, MemoryLayout<Field>.size)) }
      _openExistential(type, do: append)
    }
    return fields
  }
}

extension RuntimeProbe {
  /// References of each kind to a probe.
  private final class References {
    var strong: RuntimeProbe?
    unowned var unowned: RuntimeProbe?
    weak var weak: RuntimeProbe?
  }

  /// Returns the reference counts of an instance with exactly one strong reference.
  ///
  /// - Returns: The counts; nil if a further reference of some kind does not change them.
  static func countsOfSoleReference() -> UInt64? {
    guard let address = newCopy() else { return nil }
    let counts = cadastre_reference_counts(address)
    Unmanaged<RuntimeProbe>.fromOpaque(address).release()
    let showsAll =
      shows(counts) { $0.strong = $1 } && shows(counts) { $0.unowned = $1 }
      && shows(counts) { $0.weak = $1 }
    return showsAll ? counts : nil
  }

  /// Returns whether a new instance has the counts, and a further reference changes them.
  private static func shows(
    _ counts: UInt64, _ refer: (References, RuntimeProbe) -> Void
  ) -> Bool {
    guard let address = newCopy() else { return false }
    defer { Unmanaged<RuntimeProbe>.fromOpaque(address).release() }
    guard cadastre_reference_counts(address) == counts else { return false }
    let references = References()
    Unmanaged<RuntimeProbe>.fromOpaque(address)._withUnsafeGuaranteedRef { refer(references, $0) }
    return withExtendedLifetime(references) { cadastre_reference_counts(address) != counts }
  }

  /// Returns a new instance that the caller owns; nil if instances cannot be copied.
  private static func newCopy() -> UnsafeMutableRawPointer? {
    let probe = RuntimeProbe()
    attach(probe)
    return withExtendedLifetime(probe) {
      cadastre_copy_object(Unmanaged.passUnretained(probe).toOpaque())
    }
  }
}

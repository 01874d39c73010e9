import CadastreStore
import Foundation

/// A frozen Realm: one version of the store, which several threads may read.
final class FrozenCore: RealmCore {
  /// The snapshot of the version, or the error for which it cannot be read.
  private let content: Result<Snapshot, StoreError>
  /// The sentence for a change of an object.
  let refusal: String
  /// A reference that does not retain the core.
  private(set) lazy var reference = CoreReference(self)

  /// Creates a frozen Realm of a version.
  ///
  /// - Parameters:
  ///   - content: The snapshot, or the error that each read reports and each write throws.
  ///   - core: A Realm of the store.
  ///   - lock: The lock for reads through the snapshot.
  init(
    _ content: Result<Snapshot, StoreError>, of core: RealmCore,
    sharing lock: NSRecursiveLock = NSRecursiveLock()
  ) {
    self.content = content
    refusal = "Attempting to modify a frozen object - call thaw on the Object instance first."
    super.init(core.configuration, core.file, .unconfined, core.classes, core.schema)
    lastCatalogue = core.lastCatalogue
    useContent(sharing: lock)
  }

  /// Creates the Realm of the old store in a migration, with the classes of that store.
  init(before snapshot: Snapshot, of core: LiveCore) {
    content = .success(snapshot)
    refusal = "Old objects of a migration can only be read: set properties of the new one."
    let schema = snapshot.catalogue.schema
    let classes = Dictionary(
      schema.objectSchema.map { ($0.className, ClassInfo(stored: $0)) }, uniquingKeysWith: { $1 })
    super.init(core.configuration, core.file, .unconfined, classes, schema)
    useContent(sharing: NSRecursiveLock())
  }

  deinit { reference.end() }

  private func useContent(sharing lock: NSRecursiveLock) {
    let snapshot = try? content.get()
    use(snapshot, sharing: lock)
    version = snapshot?.version
  }

  override func openSnapshot() throws(StoreError) -> Snapshot { try content.get() }

  override func beginWrite() throws {
    _ = try content.get()
    try super.beginWrite()
  }
}

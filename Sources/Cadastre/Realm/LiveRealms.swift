import CadastreModel
import CadastreStore

/// The open Realms: one core per store and confinement, so that opening again returns an equal
/// Realm.
enum LiveRealms {
  private struct Key: Hashable {
    let store: String
    let confinement: Confinement.Identity
  }

  private static let entries = Guarded<[Key: CoreReference]>([:])

  /// The core for a configuration where the caller is.
  static func core(
    _ configuration: Realm.Configuration, _ confinement: Confinement
  ) throws -> RealmCore {
    try configuration.requireConsistency()
    let key = Key(store: configuration.storeName, confinement: confinement.identity)
    // A released actor or queue may have had the same address.
    if let open = entries.withLock({ $0[key] })?.core, open.confinement.isCurrent,
      open.confinement.isAlive
    {
      guard open.configuration.readOnly == configuration.readOnly else {
        throw StoreError(
          .openOtherwise(readOnly: open.configuration.readOnly), path: configuration.storeName)
      }
      try refuseOtherVersion(open.file, configuration)
      guard open.manages(configuration.managedTypes) else {
        throw Realm.Error(
          .fail,
          "'\(configuration.storeName)' is open here with other objectTypes: use the same ones, or "
            + "release that Realm first", configuration.fileURL)
      }
      return open
    }
    let core = try RealmCore(configuration, confinement: confinement)
    Logger.write(
      .detail, .storage,
      "opened '\(core.file.path)' with schema version \(configuration.schemaVersion)")
    let reference = core.reference
    entries.withLock { entries in
      entries = entries.filter { !$0.value.hasEnded }
      entries[key] = reference
    }
    return core
  }

  /// Refuses a configuration with another version of the schema than that with which a store is
  /// open.
  ///
  /// - Throws: ``Realm/Error`` `fail`.
  static func refuseOtherVersion(
    _ file: StoreFile, _ configuration: Realm.Configuration
  ) throws {
    let open = entries.withLock { entries in
      entries.values.compactMap { $0.core }.filter { $0.file === file }
        .map(\.configuration.schemaVersion)
    }
    guard let other = open.first(where: { $0 != configuration.schemaVersion }) else { return }
    throw Realm.Error(
      .fail,
      "Realm at path '\(file.path)' already opened with different schema version \(other), not "
        + "\(configuration.schemaVersion): release the open Realms first",
      configuration.fileURL)
  }
}

extension Realm {
  /// Brings a store to the version of a configuration, and makes it if it is missing, without keeping it
  /// open.
  ///
  /// - Parameter configuration: Which store, and its migration block.
  /// - Throws: ``Realm/Error``, or what the block throws; the store is as it was then.
  public static func performMigration(
    for configuration: Configuration = .defaultConfiguration
  ) throws {
    try Error.translating {
      _ = try RealmCore(configuration, confinement: Confinement.current(nil))
    }
  }
}

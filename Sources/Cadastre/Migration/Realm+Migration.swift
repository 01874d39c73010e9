extension Realm {
  /// Migrates a store to the version of a configuration, and creates it if it is missing, without
  /// opening it.
  ///
  /// - Parameter configuration: The store, and its migration block.
  /// - Throws: ``Realm/Error``, or the error of the block; the store is unchanged then.
  public static func performMigration(
    for configuration: Configuration = .defaultConfiguration
  ) throws {
    try Error.translating {
      _ = try RealmCore(configuration, confinement: Confinement.current(nil))
    }
  }
}

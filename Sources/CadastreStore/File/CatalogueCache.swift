import CadastreModel
import CadastreSQLite

/// The newest catalogue that was read from a store.
final class CatalogueCache: Sendable {
  private let newest = Guarded<Catalogue?>(nil)

  /// Whether no catalogue has been read yet.
  var isEmpty: Bool { newest.withLock { $0 == nil } }

  /// Returns the catalogue of a version, from memory or from the file.
  ///
  /// - Throws: ``StoreError`` when it cannot be read.
  func catalogue(
    _ version: Int64, _ connection: Connection
  ) throws(StoreError) -> Catalogue {
    if let known = newest.withLock({ $0 }), known.version == version { return known }
    let catalogue = try Catalogue.read(from: connection, version: version)
    newest.withLock { newest in
      if newest.map({ $0.version < version }) ?? true { newest = catalogue }
    }
    return catalogue
  }
}

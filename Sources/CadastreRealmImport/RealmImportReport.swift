import CadastreFormatting

/// The result of an import of a Realm file.
package struct RealmImportReport: Hashable, Sendable {
  /// The number of objects of each class, embedded classes included.
  package var objectCounts: [String: Int] = [:]
  /// The number of embedded objects of each class that were omitted, because they have no owner.
  package var unownedCounts: [String: Int] = [:]
  /// The number of links to missing objects, by class and property; these links became null.
  package var danglingCounts: [String: Int] = [:]
  /// The classes that were omitted, because their objects are only sent to a server.
  package var asymmetric: [String] = []
  /// The version of the schema in the file; nil if there is none.
  package var schemaVersion: UInt64?

  /// The number of objects of all classes.
  package var total: Int { objectCounts.values.reduce(0, +) }

  /// One sentence for each kind of data that was omitted or became null.
  package var notes: [String] {
    unownedCounts.sorted { $0.key < $1.key }.map {
      "class '\(printable($0.key))': \(counted($0.value, "embedded object")) without an owner, not "
        + "imported"
    }
      + danglingCounts.sorted { $0.key < $1.key }.map {
        "property '\(printable($0.key))': \(counted($0.value, "link")) to missing objects, now null"
      }
      + asymmetric.map {
        "class '\(printable($0))': asymmetric, its objects are only sent to a server, not imported"
      }
  }
}

/// The reason why a Realm file cannot be imported.
package struct RealmImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The message.
  package let description: String

  init(_ description: String) { self.description = description }
}

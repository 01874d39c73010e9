import Foundation
import RealmSwift
import Testing

// The samples of the reference pages, in their order, compiled as those who read the pages compile
// them: with `import RealmSwift` alone and with the language's defaults. A class differs from its
// page by one line at most, `shouldIncludeInDefaultSchema()`, since pages give one name to several
// classes.

/// A Realm in memory that no other sample shares.
func openRealm(_ types: ObjectBase.Type...) throws -> Realm {
  try Realm(
    configuration: Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: types))
}

import Cadastre
import Foundation

// The classes of the files, as `cadastre schema --format swift` prints them. `revision` is new: the migration sets it.

/// The classes of each file.
enum RealmFileModels {
  static let types: [String: [ObjectBase.Type]] = [
    "collections": [
      CollectionsFile.Collections.self, CollectionsFile.LinkCollections.self,
      CollectionsFile.MixedCollections.self, CollectionsFile.OptCollections.self,
      CollectionsFile.Target.self,
    ],
    "deep": [DeepFile.Big.self, DeepFile.Dense.self, DeepFile.Sparse.self, DeepFile.Tiny.self],
    "encrypted": [EncryptedFile.Secret.self],
    "geo": [GeoFile.Location.self, GeoFile.Place.self],
    "large": [LargeFile.Item.self],
    "links": [
      LinksFile.Address.self, LinksFile.Country.self, LinksFile.Dog.self, LinksFile.Late.self,
      LinksFile.Person.self,
    ],
    "objectstore": [
      ObjectstoreFile.Address.self, ObjectstoreFile.GeoPoint.self, ObjectstoreFile.Person.self,
      ObjectstoreFile.Pet.self,
    ],
    "spread": [SpreadFile.Spread.self],
    "tiny": [TinyFile.Pet.self],
    "types": [TypesFile.MixAll.self, TypesFile.Required.self],
    "versions": [VersionsFile.Note.self],
  ]

  enum CollectionsFile {
    class Collections: Object {
      @Persisted(primaryKey: true) var _id: Int
      @Persisted var list_int: List<Int>
      @Persisted var set_int: MutableSet<Int>
      @Persisted var dict_int: Map<String, Int>
      @Persisted var list_bool: List<Bool>
      @Persisted var set_bool: MutableSet<Bool>
      @Persisted var dict_bool: Map<String, Bool>
      @Persisted var list_float: List<Float>
      @Persisted var set_float: MutableSet<Float>
      @Persisted var dict_float: Map<String, Float>
      @Persisted var list_double: List<Double>
      @Persisted var set_double: MutableSet<Double>
      @Persisted var dict_double: Map<String, Double>
      @Persisted var list_string: List<String>
      @Persisted var set_string: MutableSet<String>
      @Persisted var dict_string: Map<String, String>
      @Persisted var list_data: List<Data>
      @Persisted var set_data: MutableSet<Data>
      @Persisted var dict_data: Map<String, Data>
      @Persisted var list_date: List<Date>
      @Persisted var set_date: MutableSet<Date>
      @Persisted var dict_date: Map<String, Date>
      @Persisted var list_decimal: List<Decimal128>
      @Persisted var set_decimal: MutableSet<Decimal128>
      @Persisted var dict_decimal: Map<String, Decimal128>
      @Persisted var list_objectId: List<ObjectId>
      @Persisted var set_objectId: MutableSet<ObjectId>
      @Persisted var dict_objectId: Map<String, ObjectId>
      @Persisted var list_uuid: List<UUID>
      @Persisted var set_uuid: MutableSet<UUID>
      @Persisted var dict_uuid: Map<String, UUID>
      @Persisted var revision = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class LinkCollections: Object {
      @Persisted var links: List<Target>
      @Persisted var linkSet: MutableSet<Target>
      @Persisted var linkMap: Map<String, Target?>
      @Persisted var revision = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class MixedCollections: Object {
      @Persisted var list: List<AnyRealmValue>
      @Persisted var set: MutableSet<AnyRealmValue>
      @Persisted var dict: Map<String, AnyRealmValue>
      @Persisted var any: AnyRealmValue
      @Persisted var revision = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class OptCollections: Object {
      @Persisted(primaryKey: true) var _id: Int
      @Persisted var list_int: List<Int?>
      @Persisted var set_int: MutableSet<Int?>
      @Persisted var dict_int: Map<String, Int?>
      @Persisted var list_bool: List<Bool?>
      @Persisted var set_bool: MutableSet<Bool?>
      @Persisted var dict_bool: Map<String, Bool?>
      @Persisted var list_float: List<Float?>
      @Persisted var set_float: MutableSet<Float?>
      @Persisted var dict_float: Map<String, Float?>
      @Persisted var list_double: List<Double?>
      @Persisted var set_double: MutableSet<Double?>
      @Persisted var dict_double: Map<String, Double?>
      @Persisted var list_string: List<String?>
      @Persisted var set_string: MutableSet<String?>
      @Persisted var dict_string: Map<String, String?>
      @Persisted var list_data: List<Data?>
      @Persisted var set_data: MutableSet<Data?>
      @Persisted var dict_data: Map<String, Data?>
      @Persisted var list_date: List<Date?>
      @Persisted var set_date: MutableSet<Date?>
      @Persisted var dict_date: Map<String, Date?>
      @Persisted var list_decimal: List<Decimal128?>
      @Persisted var set_decimal: MutableSet<Decimal128?>
      @Persisted var dict_decimal: Map<String, Decimal128?>
      @Persisted var list_objectId: List<ObjectId?>
      @Persisted var set_objectId: MutableSet<ObjectId?>
      @Persisted var dict_objectId: Map<String, ObjectId?>
      @Persisted var list_uuid: List<UUID?>
      @Persisted var set_uuid: MutableSet<UUID?>
      @Persisted var dict_uuid: Map<String, UUID?>
      @Persisted var revision = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Target: Object {
      @Persisted(primaryKey: true) var name: String

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  enum DeepFile {
    class Big: Object {
      @Persisted var list: List<Int>
      @Persisted var revision = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Dense: Object {
      @Persisted var b: Bool

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Sparse: Object {
      @Persisted var v: Int

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Tiny: Object {
      @Persisted var v: Int

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  enum EncryptedFile {
    class Secret: Object {
      @Persisted(primaryKey: true) var _id: Int
      @Persisted var text: String
      @Persisted var blob: Data
      @Persisted var revision = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  enum GeoFile {
    class Location: EmbeddedObject {
      @Persisted var type: String
      @Persisted var coordinates: List<Double>

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Place: Object {
      @Persisted(primaryKey: true) var _id: UUID
      @Persisted var name: String
      @Persisted var category: String
      @Persisted var location: Location?
      @Persisted var updated: Date
      @Persisted var population: Int?
      @Persisted var revision = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  enum LargeFile {
    class Item: Object {
      @Persisted(primaryKey: true) var _id: Int
      @Persisted(indexed: true) var name: String
      @Persisted(indexed: true) var kind: String
      @Persisted var v: Int?
      @Persisted var nums: List<Int>
      @Persisted var d: Double
      @Persisted var peer: Item?
      @Persisted var hub: Item?
      @Persisted(fullText: true) var text: String?
      @Persisted var revision = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  enum LinksFile {
    class Address: EmbeddedObject {
      @Persisted var street: String
      @Persisted var nr: Int?
      @Persisted var country: Country?
      @Persisted var owner: Person?

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Country: EmbeddedObject {
      @Persisted var code: String
      @Persisted var aliases: List<String>

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Dog: Object {
      @Persisted var name: String
      @Persisted var owner: Person?
      @Persisted var age: Int
      @Persisted var weight: Decimal128?

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Late: Object {
      @Persisted var note: String

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Person: Object {
      @Persisted(primaryKey: true) var _id: ObjectId
      @Persisted var name: String
      @Persisted var friends: List<Person>
      @Persisted var best: Person?
      @Persisted var dogs: List<Dog>
      @Persisted var favourites: MutableSet<Dog>
      @Persisted var dogsByName: Map<String, Dog?>
      @Persisted var home: Address?
      @Persisted var others: List<Address>
      @Persisted var places: Map<String, Address?>
      @Persisted var any: AnyRealmValue
      @Persisted var anys: List<AnyRealmValue>
      @Persisted var revision = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  enum ObjectstoreFile {
    class Address: EmbeddedObject {
      @Persisted var street: String
      @Persisted var geo: GeoPoint?

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class GeoPoint: EmbeddedObject {
      @Persisted var type: String
      @Persisted var coordinates: List<Double>

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Person: Object {
      @Persisted(primaryKey: true) var _id: ObjectId
      @Persisted(indexed: true) var name: String
      @Persisted var born: Date?
      @Persisted var score: Double?
      @Persisted var tags: MutableSet<String>
      @Persisted var pets: List<Pet>
      @Persisted var home: Address?
      @Persisted var others: List<Address>
      @Persisted var byYear: Map<String, Int?>
      @Persisted var any: AnyRealmValue
      @Persisted(fullText: true) var bio: String
      @Persisted var revision = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Pet: Object {
      @Persisted var name: String?
      @Persisted var age: Int
      @Persisted var price: Decimal128

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  enum SpreadFile {
    class Spread: Object {
      @Persisted var v: Int?
      @Persisted var revision = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  enum TinyFile {
    class Pet: Object {
      @Persisted var name: String?
      @Persisted var age: Int
      @Persisted var revision = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  enum TypesFile {
    class MixAll: Object {
      @Persisted var v: AnyRealmValue

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Required: Object {
      @Persisted(primaryKey: true) var _id: Int
      @Persisted var i: Int
      @Persisted var b: Bool
      @Persisted var f: Float
      @Persisted var d: Double
      @Persisted var s: String
      @Persisted var bin: Data
      @Persisted var date: Date
      @Persisted var dec: Decimal128
      @Persisted var oid: ObjectId
      @Persisted var uuid: UUID
      @Persisted var revision = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  enum VersionsFile {
    class Note: Object {
      @Persisted var text: String
      @Persisted var rev: Int
      @Persisted var revision = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }
}

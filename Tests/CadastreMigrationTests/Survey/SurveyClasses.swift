import Cadastre
import Foundation

// The fixture application: a land survey in seven versions. Each version's classes have the same
// names, which is what a program looks like from release to release.

/// The first release.
enum Survey1 {
  static let types: [ObjectBase.Type] = [
    Spot.self, Owner.self, Address.self, Photo.self, Parcel.self,
  ]

  class Spot: ReleaseEmbedded {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
  }

  class Owner: ReleaseObject {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var mail: String?
  }

  class Address: ReleaseObject {
    @Persisted var street: String
    @Persisted var city: String?
    @Persisted var lines: List<String>
  }

  class Photo: ReleaseObject {
    @Persisted var bytes: Data
  }

  class Parcel: ReleaseObject {
    @Persisted var number: String
    @Persisted var area: Int
    @Persisted var note: String?
    @Persisted var center: Spot?
    @Persisted var owner: Owner?
    @Persisted var tags: List<String>
    @Persisted var neighbours: MutableSet<String>
    @Persisted var rates: Map<String, Double>
    @Persisted var corners: List<Spot>
    @Persisted var address: Address?
    @Persisted var extra: AnyRealmValue
  }
}

/// A property renamed, some added, one of another type, one no longer optional, a primary key, an
/// index.
enum Survey2 {
  static let types: [ObjectBase.Type] = [
    Survey1.Spot.self, Owner.self, Survey1.Address.self, Survey1.Photo.self, Parcel.self,
  ]

  class Owner: ReleaseObject {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var email: String?
    @Persisted var born: Date?
  }

  class Parcel: ReleaseObject {
    @Persisted var isOpen: Bool
    @Persisted(primaryKey: true) var number: String
    @Persisted(indexed: true) var area: Double
    @Persisted var note: String
    @Persisted var center: Survey1.Spot?
    @Persisted var owner: Owner?
    @Persisted var tags: List<String>
    @Persisted var neighbours: MutableSet<String>
    @Persisted var rates: Map<String, Double>
    @Persisted var corners: List<Survey1.Spot>
    @Persisted var address: Survey1.Address?
    @Persisted var extra: AnyRealmValue
  }
}

/// A class becomes embedded, a map gets other elements.
enum Survey3 {
  static let types: [ObjectBase.Type] = [
    Survey1.Spot.self, Survey2.Owner.self, Address.self, Survey1.Photo.self, Parcel.self,
  ]

  class Address: ReleaseEmbedded {
    @Persisted var street: String
    @Persisted var city: String?
    @Persisted var lines: List<String>
    @Persisted var zip: Int
  }

  class Parcel: ReleaseObject {
    @Persisted var isOpen: Bool
    @Persisted(primaryKey: true) var number: String
    @Persisted(indexed: true) var area: Double
    @Persisted var note: String
    @Persisted var center: Survey1.Spot?
    @Persisted var owner: Survey2.Owner?
    @Persisted var tags: List<String>
    @Persisted var neighbours: MutableSet<String>
    @Persisted var rates: Map<String, Int>
    @Persisted var corners: List<Survey1.Spot>
    @Persisted var address: Address?
    @Persisted var extra: AnyRealmValue
  }
}

/// A geographic property is renamed, a primary key gets another type, a class and a property are
/// gone.
enum Survey4 {
  static let types: [ObjectBase.Type] = [
    Survey1.Spot.self, Owner.self, Survey3.Address.self, Parcel.self,
  ]

  class Owner: ReleaseObject {
    @Persisted(primaryKey: true) var id: String
    @Persisted(indexed: true) var name: String
    @Persisted var email: String?
    @Persisted var born: Date?
  }

  class Parcel: ReleaseObject {
    @Persisted var isOpen: Bool
    @Persisted(primaryKey: true) var number: String
    @Persisted(indexed: true) var area: Double
    @Persisted var note: String
    @Persisted var location: Survey1.Spot?
    @Persisted var owner: Owner?
    @Persisted var tags: List<String>
    @Persisted var rates: Map<String, Int>
    @Persisted var corners: List<Survey1.Spot>
    @Persisted var address: Survey3.Address?
    @Persisted var extra: AnyRealmValue
  }
}

/// An embedded class gets objects of its own, another a property, a list becomes a set, a text an
/// index.
enum Survey5 {
  static let types: [ObjectBase.Type] = [
    Spot.self, Survey4.Owner.self, Address.self, Parcel.self,
  ]

  class Spot: ReleaseEmbedded {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
    @Persisted var accuracy: Double
  }

  class Address: ReleaseObject {
    @Persisted var street: String
    @Persisted var city: String?
    @Persisted var lines: List<String>
    @Persisted var zip: Int
  }

  class Parcel: ReleaseObject {
    @Persisted var isOpen: Bool
    @Persisted(primaryKey: true) var number: String
    @Persisted var area: Double
    @Persisted var location: Spot?
    @Persisted var owner: Survey4.Owner?
    @Persisted(fullText: true) var note: String
    @Persisted var tags: MutableSet<String>
    @Persisted var rates: Map<String, Int>
    @Persisted var corners: List<Spot>
    @Persisted var address: Address?
    @Persisted var extra: AnyRealmValue
  }
}

/// Locations become top-level objects, and a name may be missing.
enum Survey6 {
  static let types: [ObjectBase.Type] = [
    Spot.self, Owner.self, Survey5.Address.self, Parcel.self,
  ]

  class Spot: ReleaseObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
    @Persisted var accuracy: Double
  }

  class Owner: ReleaseObject {
    @Persisted(primaryKey: true) var id: String
    @Persisted(indexed: true) var name: String?
    @Persisted var email: String?
    @Persisted var born: Date?
  }

  class Parcel: ReleaseObject {
    @Persisted var isOpen: Bool
    @Persisted(primaryKey: true) var number: String
    @Persisted var area: Double
    @Persisted var location: Spot?
    @Persisted var owner: Owner?
    @Persisted(fullText: true) var note: String
    @Persisted var tags: MutableSet<String>
    @Persisted var rates: Map<String, Int>
    @Persisted var corners: List<Spot>
    @Persisted var address: Survey5.Address?
    @Persisted var extra: AnyRealmValue
  }
}

/// Locations are embedded again, in their owners' rows.
enum Survey7 {
  static let types: [ObjectBase.Type] = [
    Survey5.Spot.self, Survey6.Owner.self, Survey3.Address.self, Parcel.self,
  ]

  class Parcel: ReleaseObject {
    @Persisted var isOpen: Bool
    @Persisted(primaryKey: true) var number: String
    @Persisted var area: Double
    @Persisted var location: Survey5.Spot?
    @Persisted var owner: Survey6.Owner?
    @Persisted(fullText: true) var note: String
    @Persisted var tags: MutableSet<String>
    @Persisted var rates: Map<String, Int>
    @Persisted var corners: List<Survey5.Spot>
    @Persisted var address: Survey3.Address?
    @Persisted var extra: AnyRealmValue
  }
}

import Cadastre
import Foundation

extension StopCase {
  static let projections = [
    StopCase(
      "KeyPath is not writable: it leads through an optional, or to a property that is read only."
    ) {
      CitizenView(projecting: Citizen()).city = "Paris"
    },
    StopCase(
      "@Projected property '…' must be a part of Realm object: its key path leads to no persisted "
        + "property of '…'."
    ) {
      _ = WrongView(projecting: Citizen())
    },
    StopCase("Property '…' in KeyPath '…' is not a valid property in ….") {
      let realm = try Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: UUID().uuidString, objectTypes: [Citizen.self, Home.self]))
      let citizen = try realm.write { realm.create(Citizen.self) }
      _ = CitizenView(projecting: citizen).changes(keyPaths: ["colour"])
    },
    StopCase("Only objects and collections managed by a Realm have change notifications.") {
      _ = CitizenView(projecting: Citizen()).friendsNames.observe { _ in }
    },
    StopCase("A Projection cannot be stored: '…' views objects of '…'.") {
      class Viewed: Object {
        @Persisted var views: List<CitizenView>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
      }
      _ = Viewed(value: ["views": []])
    },
    StopCase("A key path from '…' names nothing of '…'.") {
      _ = CitizenView.propertyName(of: \Every.id)
    },
    StopCase(
      "A key path of '…' does not lead to a persisted property of '…': use one that is marked "
        + "@Projected."
    ) {
      _ = CitizenView.propertyName(of: \CitizenView.constant)
    },
    StopCase(
      "Failed to default construct a … using the default value for persisted type …: give the "
        + "property a default, or make it optional."
    ) {
      class NeedsLink: Object {
        @Persisted var link: URL

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
      }
      _ = NeedsLink().link
    },
    StopCase(
      "Failed to convert persisted value '…' to type '…' in a non-optional context: make the "
        + "property optional."
    ) {
      class Page: Object {
        @Persisted var url: URL = URL(filePath: "/")

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
      }
      let realm = try Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: UUID().uuidString, objectTypes: [Page.self]))
      try realm.write {
        let page = realm.create(Page.self)
        page["url"] = ""
        _ = page.url
      }
    },
    StopCase("'…' has no cases.") {
      class Holder: Object {
        @Persisted var hidden: Hidden

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
      }
      _ = Holder().hidden
    },
  ]

  /// An enumeration that lists none of its cases.
  private enum Hidden: Int, PersistableEnum {
    case only

    static var allCases: [Hidden] { [] }
  }
}

extension CitizenView {
  fileprivate var constant: Int { 1 }
}

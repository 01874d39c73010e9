import Cadastre
import Testing

/// The objects and collections of a shelter as text.
enum ShelterText {
  static func text(_ keeper: Keeper) -> String {
    "\(keeper.id) \(keeper.age) \(keeper.best?.id ?? 0) \(ids(keeper.dogs)) "
      + "\(Array(keeper.tags).sorted()) \(text(keeper.marks)) \(keeper.home?.city ?? "-")"
  }

  static func text(_ marks: Map<String, Int>) -> String {
    "\(marks.keys.map { "\($0)=\(marks[$0] ?? 0)" })"
  }

  static func ids(_ keepers: some Sequence<Keeper>) -> String { "\(keepers.map { $0.id })" }

  static func ids(_ hounds: some Sequence<Greyhound>) -> String { "\(hounds.map { $0.id })" }

  static func text(_ sections: SectionedResults<Int, Keeper>) -> String {
    "\(sections.map { "\($0.key): \(ids($0))" })"
  }
}

/// A value that is read again and again, with the text that a model says it has.
struct HeldValue {
  let name: String
  /// The object whose deletion invalidates the value; nil for a value that stays valid.
  var owner: ShelterChange.Held?
  /// The value as text, `invalidated` for one that is invalidated.
  let read: () -> String
  /// The text of a valid value.
  let expected: (ShelterModel) -> String

  init(
    _ name: String, of owner: ShelterChange.Held? = nil, _ value: some ThreadConfined,
    _ read: @escaping () -> String, _ expected: @escaping (ShelterModel) -> String
  ) {
    self.name = name
    self.owner = owner
    self.read = { value.isInvalidated ? "invalidated" : read() }
    self.expected = expected
  }

  /// Compares values with a model.
  ///
  /// - Parameters:
  ///   - values: The values.
  ///   - model: The model.
  ///   - deleted: The objects that the change has deleted, whether it was rolled back or not.
  ///   - moment: When they are compared.
  static func check(
    _ values: [HeldValue], _ model: ShelterModel, deleted: Set<ShelterChange.Held>,
    _ moment: String
  ) {
    for value in values {
      let isGone = value.owner.map(deleted.contains) ?? false
      let expected = isGone ? "invalidated" : value.expected(model)
      let found = value.read()
      #expect(found == expected, "\(value.name), \(moment)")
    }
  }

  /// Values of every kind in a shelter that is as `ShelterModel` begins.
  static func all(in realm: Realm) throws -> [HeldValue] {
    try results(in: realm) + sections(in: realm) + ofKeeper(in: realm) + ofHound(in: realm)
      + frozen(in: realm)
  }

  private static func results(in realm: Realm) -> [HeldValue] {
    let all = realm.objects(Keeper.self)
    func value(
      _ name: String, _ results: Results<Keeper>, _ expected: @escaping (ShelterModel) -> String
    ) -> HeldValue {
      HeldValue(name, results, { ShelterText.ids(results) + " \(results.count)" }) { model in
        let ids = expected(model)
        return ids + " \(ids == "[]" ? 0 : ids.split(separator: ",").count)"
      }
    }
    return [
      value("results", all) { $0.ids() },
      value("filtered", all.where { $0.age > 15 }) { $0.ids { $0.age > 15 } },
      value("by an index", all.where { $0.age == 20 }) { $0.ids { $0.age == 20 } },
      value("sorted", all.sorted(by: \.age, ascending: false)) { $0.ids(byAge: >) },
      value("limited", all.sorted(by: \.age).limit(2)) { $0.ids(byAge: <, limit: 2) },
      value("limited and filtered", all.sorted(by: \.age).limit(2).where { $0.age > 15 }) { model in
        let first = model.owners.sorted { $0.age < $1.age }.prefix(2)
        return "\(first.filter { $0.age > 15 }.map(\.id))"
      },
      value("by a link", all.where { $0.best.age > 5 }) { model in
        model.ids { (model.pet($0.best)?.age ?? 0) > 5 }
      },
      value("by a list", all.filter("ANY dogs.age > 5")) { model in
        model.ids { $0.dogs.contains { (model.pet($0)?.age ?? 0) > 5 } }
      },
      HeldValue("a sum", all, { "\(all.sum(of: \.age)) \(all.max(of: \.age) ?? 0)" }) { model in
        let ages = model.owners.map(\.age)
        return "\(ages.reduce(0, +)) \(ages.max() ?? 0)"
      },
      HeldValue(
        "projections", all,
        {
          var texts: [String] = []
          for view in realm.objects(KeeperView.self) {
            texts.append("\(view.years) \(Array(view.dogAges))")
          }
          return "\(texts)"
        }
      ) { model in
        let texts = model.owners.map { owner in
          "\(owner.age) \(owner.dogs.map { model.pet($0)?.age ?? 0 })"
        }
        return "\(texts)"
      },
      HeldValue(
        "a look-up", all,
        {
          let keeper = realm.object(ofType: Keeper.self, forPrimaryKey: 1)
          return keeper.map { ShelterText.text($0) } ?? "none"
        }
      ) { $0.owner(1)?.text ?? "none" },
    ]
  }

  private static func sections(in realm: Realm) -> [HeldValue] {
    let all = realm.objects(Keeper.self)
    let byClosure = all.sectioned(by: { $0.age / 20 }, sortDescriptors: ["age"])
    let byProperty = all.sectioned(by: \.age)
    return [
      HeldValue("sections", byClosure, { ShelterText.text(byClosure) }) { $0.sections },
      HeldValue("sections by a property", byProperty, { "\(byProperty.allKeys)" }) { model in
        "\(model.owners.map(\.age).sorted())"
      },
    ]
  }

  private static func ofKeeper(in realm: Realm) throws -> [HeldValue] {
    let keeper = try #require(realm.object(ofType: Keeper.self, forPrimaryKey: 1))
    let view = realm.objects(KeeperView.self)[0]
    let (dogs, tags, marks) = (keeper.dogs, keeper.tags, keeper.marks)
    let home = try #require(keeper.home)
    let (old, projected) = (dogs.where { $0.age > 5 }, view.dogAges)
    func ages(_ model: ShelterModel) -> [Int] {
      (model.owner(1)?.dogs ?? []).map { model.pet($0)?.age ?? 0 }
    }
    return [
      HeldValue("an object", of: .keeper, keeper, { ShelterText.text(keeper) }) { model in
        model.owner(1)?.text ?? "none"
      },
      HeldValue("a list", of: .keeper, dogs, { ShelterText.ids(dogs) }) { model in
        "\(model.owner(1)?.dogs ?? [])"
      },
      HeldValue("a filtered list", of: .keeper, old, { "\(Array(old.map { $0.age }))" }) { model in
        "\(ages(model).filter { $0 > 5 })"
      },
      HeldValue("a set", of: .keeper, tags, { "\(Array(tags).sorted())" }) { model in
        "\(model.owner(1)?.tags.sorted() ?? [])"
      },
      HeldValue("a map", of: .keeper, marks, { ShelterText.text(marks) }) { model in
        model.owner(1)?.marksText ?? "none"
      },
      HeldValue("a projection", of: .keeper, view, { "\(view.years) \(view.town ?? "-")" }) {
        model in
        model.owner(1).map { "\($0.age) \($0.city ?? "-")" } ?? "none"
      },
      HeldValue("a projected list", of: .keeper, projected, { "\(Array(projected))" }) {
        "\(ages($0))"
      },
      HeldValue("an embedded object", of: .home, home, { home.city }) { model in
        model.owner(1)?.city ?? "none"
      },
    ]
  }

  private static func ofHound(in realm: Realm) throws -> [HeldValue] {
    let hound = try #require(realm.object(ofType: Greyhound.self, forPrimaryKey: 1))
    let owners = hound.owners
    func ids() -> [Int] { Array(owners.map { $0.id }) }
    return [
      HeldValue("a linked object", of: .hound, hound, { "\(hound.id) \(hound.age)" }) { model in
        model.pet(1).map { "\($0.id) \($0.age)" } ?? "none"
      },
      HeldValue("linking objects", of: .hound, owners, { "\(ids().sorted())" }) { model in
        "\(model.owners.filter { $0.dogs.contains(1) }.map(\.id).sorted())"
      },
    ]
  }

  /// Frozen copies, which never change.
  private static func frozen(in realm: Realm) throws -> [HeldValue] {
    let keeper = try #require(realm.object(ofType: Keeper.self, forPrimaryKey: 1)).freeze()
    let all = realm.objects(Keeper.self).freeze()
    return [
      HeldValue("a frozen object", keeper, { ShelterText.text(keeper) }) { _ in
        ShelterModel().owner(1)?.text ?? "none"
      },
      HeldValue("frozen results", all, { ShelterText.ids(all) }) { _ in ShelterModel().ids() },
    ]
  }
}

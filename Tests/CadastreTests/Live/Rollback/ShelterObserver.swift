import Cadastre

/// Observers of keeper 1 and of collections, with the content that each was notified of last.
final class ShelterObserver {
  private(set) var contents: [String: String] = [:]
  /// The number of notifications.
  private(set) var count = 0
  private var tokens: [NotificationToken] = []

  /// Observes a shelter that is as `ShelterModel` begins.
  init(_ realm: Realm) {
    let all = realm.objects(Keeper.self)
    let keeper = all[0]
    watch("results", all) { ShelterText.ids($0) }
    watch("filtered", all.where { $0.age > 15 }) { ShelterText.ids($0) }
    watch("limited", all.sorted(by: \.age).limit(2)) { ShelterText.ids($0) }
    watch("list", keeper.dogs) { ShelterText.ids($0) }
    watch("filtered list", keeper.dogs.where { $0.age > 5 }) { ShelterText.ids($0) }
    tokens.append(
      all.sectioned(by: { $0.age / 20 }, sortDescriptors: ["age"]).observe { [unowned self] in
        switch $0 {
        case .initial(let sections), .update(let sections, _, _, _, _, _):
          note("sections", sections.isInvalidated ? "none" : ShelterText.text(sections))
        }
      })
    tokens.append(
      keeper.marks.observe { [unowned self] change in
        switch change {
        case .initial(let marks), .update(let marks, _, _, _):
          note("map", marks.isInvalidated ? "none" : ShelterText.text(marks))
        case .error(let error): note("map", "\(error)")
        }
      })
    tokens.append(
      keeper.observe { [unowned self] change in
        switch change {
        case .change(let keeper, _): note("object", "\(keeper.age)")
        case .deleted: note("object", "deleted")
        case .error(let error): note("object", "\(error)")
        }
      })
    tokens.append(
      realm.objects(KeeperView.self)[0].observe { [unowned self] change in
        switch change {
        case .change(let view, _): note("projection", "\(view.years)")
        case .deleted: note("projection", "deleted")
        case .error(let error): note("projection", "\(error)")
        }
      })
    tokens.append(
      realm.observe { [unowned self] notification, _ in
        if case .didChange = notification { note("realm", "moved") }
      })
  }

  /// The content that each observer knows after a model's `makeLaterChange(_:)`.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - isDeleted: Whether keeper 1, as it was in the beginning, has been deleted.
  /// - Returns: The contents by the names of the observers.
  static func contents(_ model: ShelterModel, isDeleted: Bool) -> [String: String] {
    let keeper = isDeleted ? nil : model.owner(1)
    let dogs = keeper?.dogs
    let age = keeper.map { "\($0.age)" } ?? "deleted"
    return [
      "results": model.ids(),
      "filtered": model.ids { $0.age > 15 },
      "limited": model.ids(byAge: <, limit: 2),
      "list": dogs.map { "\($0)" } ?? "none",
      "filtered list":
        dogs.map { "\($0.filter { (model.pet($0)?.age ?? 0) > 5 })" } ?? "none",
      "sections": model.sections,
      "map": keeper?.marksText ?? "none",
      "object": age,
      "projection": age,
      "realm": "moved",
    ]
  }

  private func watch<C: RealmCollection>(
    _ name: String, _ collection: C, _ text: @escaping (C) -> String
  ) {
    tokens.append(
      collection.observe { [unowned self] change in
        switch change {
        case .initial(let now), .update(let now, _, _, _):
          note(name, now.isInvalidated ? "none" : text(now))
        case .error(let error): note(name, "\(error)")
        }
      })
  }

  private func note(_ name: String, _ content: String) {
    contents[name] = content
    count += 1
  }

  /// Ends the subscriptions.
  func end() { for token in tokens { token.invalidate() } }
}

/// Instances for observers, whose subscriptions outlive the instances that they began with.
///
/// The rollback of a deletion and `Realm.invalidate()` invalidate instances of objects that exist.
extension ThreadConfined {
  /// This value; where it was invalidated although its object exists, a new instance of it.
  var renewed: Self {
    guard isInvalidated, let realm, let made = counterpart(in: realm) else { return self }
    return made
  }
}

extension ElementSource {
  /// These elements; where they were invalidated although their object exists, those of a new instance.
  var renewed: any ElementSource {
    guard !isValid, let made = counterpart(in: core) else { return self }
    return made
  }
}

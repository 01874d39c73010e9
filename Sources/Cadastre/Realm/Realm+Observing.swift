extension Realm {
  /// What can be told of a Realm as a whole.
  public enum Notification: String, Sendable {
    /// The Realm has come to a new version, its own commits included.
    case didChange = "RLMRealmDidChangeNotification"
    /// There is a newer version, to which the Realm does not move by itself.
    case refreshRequired = "RLMRealmRefreshRequiredNotification"
  }

  /// Tells a closure of new versions of the Realm.
  ///
  /// - Returns: A token; the subscription ends with it.
  public func observe(_ block: @escaping (Notification, Realm) -> Void) -> NotificationToken {
    core.requireObservable()
    let notifier = RealmNotifier(core, block)
    core.observers.add(notifier)
    return NotificationToken(notifier)
  }
}

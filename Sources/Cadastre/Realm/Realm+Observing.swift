extension Realm {
  /// A notification of a Realm as a whole.
  public enum Notification: String, Sendable {
    /// The Realm has moved to a new version, by its own commit too.
    case didChange = "RLMRealmDidChangeNotification"
    /// There is a newer version, to which the Realm does not move by itself.
    case refreshRequired = "RLMRealmRefreshRequiredNotification"
  }

  /// Calls a closure with each new version of the Realm.
  ///
  /// - Returns: A token; the subscription ends with it.
  public func observe(_ block: @escaping (Notification, Realm) -> Void) -> NotificationToken {
    core.requireObservable()
    let notifier = RealmNotifier(core, block)
    core.observers.add(notifier)
    // Commits are new versions only to a Realm that is at a version.
    _ = core.attempt(or: nil) { try core.committedVersion() }
    return NotificationToken(notifier)
  }
}

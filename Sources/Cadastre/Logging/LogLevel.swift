/// The severity of a message, and the least severe messages that are logged.
public enum LogLevel: Int, Hashable, Sendable, CaseIterable, Comparable {
  /// No messages.
  case off = 0
  /// A programming error that stops the process.
  case fatal
  /// An error that no signature could throw.
  case error
  /// A state that the program should know of.
  case warn
  /// Migrations.
  case info
  /// Opened and compacted stores.
  case detail
  /// Commits and queries, with their duration.
  case debug
  /// Deliveries of notifications.
  case trace
  /// All messages.
  case all

  /// The order from few messages to many.
  public static func < (first: LogLevel, second: LogLevel) -> Bool {
    first.rawValue < second.rawValue
  }
}

/// The subject of a message.
///
/// The raw values are names with their parents: ``storage`` includes ``transaction``, and ``realm``
/// includes all.
public enum LogCategory: String, Hashable, Sendable, CaseIterable {
  /// All messages.
  case realm = "Realm"
  /// Files, and the categories below.
  case storage = "Realm.Storage"
  /// Commits and rollbacks.
  case transaction = "Realm.Storage.Transaction"
  /// Queries.
  case query = "Realm.Storage.Query"
  /// Objects and their schema.
  case object = "Realm.Storage.Object"
  /// Notifications.
  case notification = "Realm.Storage.Notification"
  /// The use of the library by the program.
  case sdk = "Realm.SDK"

  /// The categories within this one, itself included.
  var members: [LogCategory] {
    Self.allCases.filter { $0 == self || $0.rawValue.hasPrefix(rawValue + ".") }
  }
}

import Foundation
import Synchronization

/// The Realms that are open: one core a store and thread, so that opening again gives an equal Realm.
enum LiveRealms {
  private struct Place: Hashable {
    let store: String
    let thread: pthread_t
  }

  /// A core that is in use somewhere.
  // Safe because a core leaves this table only on the thread that put it in.
  private struct Entry: @unchecked Sendable { weak var core: RealmCore? }

  private static let entries = Mutex<[Place: Entry]>([:])

  /// The core for a configuration where the caller is.
  static func core(_ configuration: Realm.Configuration) throws -> RealmCore {
    let confinement = Confinement.current
    guard case .thread(let thread) = confinement else {
      return try RealmCore(configuration, confinement: confinement)
    }
    let place = Place(store: configuration.storeName, thread: thread)
    if let open = entries.withLock({ $0[place] })?.core {
      guard open.manages(configuration.managedTypes) else {
        throw Realm.Error(
          .fail,
          "'\(configuration.storeName)' is open on this thread with other objectTypes: use the same "
            + "ones, or let go of that Realm first", configuration.fileURL)
      }
      return open
    }
    let core = try RealmCore(configuration, confinement: confinement)
    let entry = Entry(core: core)
    entries.withLock { entries in
      entries = entries.filter { $0.value.core != nil }
      entries[place] = entry
    }
    return core
  }
}

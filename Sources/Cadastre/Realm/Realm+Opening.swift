import CadastreModel
import CadastreStore
public import Dispatch

extension Realm {
  /// The time to wait for data of a server, which has no effect on a local store.
  public enum OpenBehavior: Sendable {
    /// Do not wait.
    case never
    /// Wait each time.
    case always
    /// Wait the first time.
    case once
  }

  /// Opens a Realm confined to the actor of the caller, and prepares the store in the background.
  ///
  ///     actor Places {
  ///       private var realm: Realm?
  ///       func load() async throws { realm = try await Realm.open() }
  ///     }
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the store.
  ///   - isolation: The actor of the caller; nil confines the Realm to the task.
  ///   - downloadBeforeOpen: Has no effect.
  /// - Returns: The Realm.
  /// - Throws: ``Realm/Error``, or `CancellationError`.
  public static func open(
    configuration: Configuration = .defaultConfiguration,
    isolation: isolated (any Actor)? = #isolation, downloadBeforeOpen: OpenBehavior = .never
  ) async throws -> Realm {
    let lease = try await prepare(configuration)
    defer { withExtendedLifetime(lease) {} }
    return try Realm(configuration: configuration, isolation: isolation)
  }

  /// Opens a Realm on the main actor, see ``open(configuration:isolation:downloadBeforeOpen:)``.
  ///
  /// - Throws: ``Realm/Error``, or `CancellationError`.
  @MainActor
  public init(
    configuration: Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior
  ) async throws {
    let lease = try await Self.prepare(configuration)
    defer { withExtendedLifetime(lease) {} }
    try self.init(configuration: configuration, isolation: MainActor.shared)
  }

  /// Opens a Realm on an actor, see ``open(configuration:isolation:downloadBeforeOpen:)``.
  ///
  /// - Throws: ``Realm/Error``, or `CancellationError`.
  public init<Target: Actor>(
    configuration: Configuration = .defaultConfiguration, actor: isolated Target,
    downloadBeforeOpen: OpenBehavior = .never
  ) async throws {
    let lease = try await Self.prepare(configuration)
    defer { withExtendedLifetime(lease) {} }
    try self.init(configuration: configuration, isolation: actor)
  }

  /// Opens a Realm on a queue asynchronously.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the store.
  ///   - callbackQueue: The queue to which the Realm is confined.
  ///   - callback: Called on the queue with the Realm, or with the error.
  /// - Returns: A task that can cancel the opening.
  @discardableResult
  public static func asyncOpen(
    configuration: Configuration = .defaultConfiguration, callbackQueue: DispatchQueue = .main,
    callback: @escaping @Sendable (Swift.Result<Realm, any Swift.Error>) -> Void
  ) -> AsyncOpenTask {
    let task = Task {
      let prepared: Swift.Result<StoreFile, any Swift.Error>
      do { prepared = .success(try await prepare(configuration)) } catch {
        prepared = .failure(error)
      }
      callbackQueue.async {
        callback(
          prepared.flatMap { file in
            defer { withExtendedLifetime(file) {} }
            return .init { try Realm(configuration: configuration, queue: callbackQueue) }
          })
      }
    }
    return AsyncOpenTask(task: task)
  }

  /// The opening of a Realm in the background.
  public struct AsyncOpenTask: Sendable {
    fileprivate let task: Task<Void, Never>

    /// Cancels the opening; the callback receives a `CancellationError` unless it has been called.
    public func cancel() { task.cancel() }
  }

  /// Opens and migrates a store in the background.
  ///
  /// - Returns: The store; retain it until the Realm is open, because an in-memory store is deleted with its
  ///   last user.
  private static func prepare(_ configuration: Configuration) async throws -> StoreFile {
    let opening = Task.detached {
      try Error.translating {
        try LiveCore(configuration, confinement: Confinement.current(nil)).file
      }
    }
    let file = try await opening.value
    try Task.checkCancellation()
    return file
  }
}

/// The registry of open Realms: one core per store and confinement, so that repeated opening returns an equal
/// Realm.
enum LiveRealms {
  private struct Key: Hashable {
    let store: String
    let confinement: Confinement.Identity
  }

  private static let entries = Guarded<[Key: CoreReference<LiveCore>]>([:])

  /// Returns the open core for a configuration and a confinement, or opens one.
  static func core(
    _ configuration: Realm.Configuration, _ confinement: Confinement
  ) throws -> LiveCore {
    try configuration.requireConsistency()
    let key = Key(store: configuration.storeName, confinement: confinement.identity)
    // The address may have belonged to a released actor or queue.
    if let open = entries.withLock({ $0[key] })?.core, open.confinement.isCurrent,
      open.confinement.isAlive
    {
      guard open.configuration.readOnly == configuration.readOnly else {
        throw StoreError(
          .openOtherwise(readOnly: open.configuration.readOnly), path: configuration.storeName)
      }
      guard
        open.configuration.durability == configuration.durability
          || configuration.inMemoryIdentifier != nil
      else { throw StoreError(.openWithOtherDurability, path: configuration.storeName) }
      try refuseOtherVersion(open.file, configuration)
      guard open.manages(configuration.managedTypes) else {
        throw Realm.Error(
          .fail,
          "'\(configuration.storeName)' is open here with other objectTypes: use the same ones, or "
            + "release that Realm first", configuration.fileURL)
      }
      return open
    }
    let core = try LiveCore(configuration, confinement: confinement)
    Logger.write(
      .detail, .storage,
      "opened '\(core.file.path)' with schema version \(configuration.schemaVersion)")
    let reference = core.reference
    entries.withLock { entries in
      entries = entries.filter { !$0.value.hasEnded }
      entries[key] = reference
    }
    return core
  }

  /// Throws if a store is open with a different schema version.
  ///
  /// - Throws: ``Realm/Error`` `fail`.
  static func refuseOtherVersion(
    _ file: StoreFile, _ configuration: Realm.Configuration
  ) throws {
    let open = entries.withLock { entries in
      entries.values.compactMap { $0.core }.filter { $0.file === file }
        .map(\.configuration.schemaVersion)
    }
    guard let other = open.first(where: { $0 != configuration.schemaVersion }) else { return }
    throw Realm.Error(
      .fail,
      "Realm at path '\(file.path)' already opened with different schema version \(other), not "
        + "\(configuration.schemaVersion): release the open Realms first",
      configuration.fileURL)
  }
}

import CadastreStore
public import Dispatch

extension Realm {
  /// When to wait for data of a server; it has no effect on a local store.
  public enum OpenBehavior: Sendable {
    /// Do not wait.
    case never
    /// Wait each time.
    case always
    /// Wait the first time.
    case once
  }

  /// Opens a Realm that is confined to the actor of the caller; the store is prepared in the
  /// background.
  ///
  ///     actor Places {
  ///       private var realm: Realm?
  ///       func load() async throws { realm = try await Realm.open() }
  ///     }
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the store.
  ///   - isolation: The actor of the caller; without one the Realm is confined to the task.
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

  /// Opens a Realm on a queue, without keeping the caller waiting.
  ///
  /// - Parameters:
  ///   - configuration: Which store.
  ///   - callbackQueue: The queue that the Realm belongs to.
  ///   - callback: Called on the queue with the Realm, or with the error.
  /// - Returns: A task by which the opening can be cancelled.
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

    /// Gives up; the callback gets a `CancellationError` unless it has been called.
    public func cancel() { task.cancel() }
  }

  /// Prepares a store in the background: its file, its classes and indexes.
  ///
  /// - Returns: The store, to be retained until the Realm is open: a store in memory is deleted
  ///   with its last user.
  private static func prepare(_ configuration: Configuration) async throws -> StoreFile {
    let opening = Task.detached {
      try Error.translating {
        try RealmCore(configuration, confinement: Confinement.current(nil)).file
      }
    }
    let file = try await opening.value
    try Task.checkCancellation()
    return file
  }
}

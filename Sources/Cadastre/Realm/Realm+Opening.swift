import CadastreStore
public import Dispatch

extension Realm {
  /// When to wait for what a server has; a store of this machine has everything at once.
  public enum OpenBehavior: Sendable {
    /// Do not wait.
    case never
    /// Wait each time.
    case always
    /// Wait the first time.
    case once
  }

  /// Opens a Realm that belongs to the actor of the caller, without keeping it waiting: the store is made
  /// ready in the background.
  ///
  ///     actor Places {
  ///       private var realm: Realm?
  ///       func load() async throws { realm = try await Realm.open() }
  ///     }
  ///
  /// - Parameters:
  ///   - configuration: Which store.
  ///   - isolation: The actor of the caller; without one the Realm belongs to the task.
  ///   - downloadBeforeOpen: Makes no difference.
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

  /// The opening of a Realm that goes on in the background.
  public struct AsyncOpenTask: Sendable {
    fileprivate let task: Task<Void, Never>

    /// Gives up; the callback gets a `CancellationError` unless it has been called.
    public func cancel() { task.cancel() }
  }

  /// Makes a store ready in the background: its file, its classes and indexes.
  ///
  /// - Returns: The store, to be kept until the Realm is open: one in memory vanishes with its last user.
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

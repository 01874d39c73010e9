import CSwiftRuntime

/// A serial executor as the Swift runtime represents it: of the main actor, of another actor, or shared by
/// actors.
struct ExecutorReference: Hashable, Sendable {
  /// The address of the executor's object, which is not retained.
  let identity: UInt
  private let implementation: UInt

  private init(_ executor: cadastre_executor) {
    identity = executor.identity
    implementation = executor.implementation
  }

  init(_ executor: UnownedSerialExecutor) {
    // Invariant: Swift's type consists of these two words.
    self.init(unsafeBitCast(executor, to: cadastre_executor.self))
  }

  /// The executor of the main actor.
  static let main = ExecutorReference(MainActor.sharedUnownedExecutor)

  /// The executor of the caller's task; nil outside of tasks, in a task without an actor, and if the runtime
  /// does not provide it.
  static var current: ExecutorReference? {
    guard RuntimeFeatures.knowsExecutor else { return nil }
    let executor = ExecutorReference(cadastre_current_executor())
    return executor.identity == 0 ? nil : executor
  }

  /// Whether the caller is in the initial synchronous part of an immediate task without an actor, which runs
  /// on the thread of its creator until its first suspension.
  static var isImmediate: Bool {
    guard RuntimeFeatures.knowsExecutor else { return false }
    let executor = cadastre_current_executor()
    return executor.identity == 0 && executor.implementation != 0
  }

  /// Whether the caller runs on the executor; false if the runtime does not provide the current executor.
  var isCurrent: Bool {
    RuntimeFeatures.knowsExecutor
      && cadastre_is_current_executor(
        cadastre_executor(identity: identity, implementation: implementation))
  }

  /// The object of an executor on which the caller runs.
  var object: AnyObject? {
    // Invariant: the identity of an executor that runs code is the address of a living object.
    UnsafeRawPointer(bitPattern: identity).map {
      Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
    }
  }
}

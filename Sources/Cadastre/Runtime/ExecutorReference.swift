import CSwiftRuntime

/// A serial executor, as the Swift runtime refers to it: that of the main actor, of another actor, or one
/// that several actors share.
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

  /// The executor on which the caller's task runs; nil outside of tasks, in a task that runs on no
  /// actor, and where the executor is not known.
  static var current: ExecutorReference? {
    guard RuntimeFeatures.knowsExecutor else { return nil }
    let executor = ExecutorReference(cadastre_current_executor())
    return executor.identity == 0 ? nil : executor
  }

  /// Whether the caller is in the first part of a task that runs on no actor and began on the thread of its
  /// creator, which it leaves where it is suspended first.
  static var isImmediate: Bool {
    guard RuntimeFeatures.knowsExecutor else { return false }
    let executor = cadastre_current_executor()
    return executor.identity == 0 && executor.implementation != 0
  }

  /// Whether the caller runs on the executor; false if that is not known.
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

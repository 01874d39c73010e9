import Cadastre
import Foundation

extension StopCase {
  static let threads = [
    StopCase("Unmanaged objects cannot be frozen: add '…' to a Realm first.") {
      _ = Every().freeze()
    },
    StopCase("A '…' that has been deleted or invalidated cannot be frozen.") {
      let every = try add(Every())
      every.realm?.invalidate()
      _ = every.freeze()
    },
    StopCase("Cannot freeze an object in the same write transaction as it was created in.") {
      try changed { _ = $0.realm?.create(Other.self, value: ["name": "a"]).freeze() }
    },
    StopCase("Unmanaged objects cannot be thawed.") { _ = Every().thaw() },
    StopCase(
      "A '…' value was requested from the Realm of '…': both Realms must be of the same store."
    ) {
      _ = try add(Every()).counterpart(in: everyRealm())
    },
    StopCase(
      "Cannot construct reference to unmanaged object, which can be passed across threads directly."
    ) {
      _ = ThreadSafeReference(to: Every())
    },
    StopCase("Cannot construct reference to invalidated object.") {
      let every = try add(Every())
      every.realm?.invalidate()
      _ = ThreadSafeReference(to: every)
    },
    StopCase("Can only resolve a thread safe reference once.") {
      let every = try add(Every())
      let reference = ThreadSafeReference(to: every)
      for _ in 0..<2 { _ = every.realm?.resolve(reference) }
    },
    StopCase("A thread safe reference cannot be resolved in a frozen Realm.") {
      let every = try add(Every())
      _ = every.realm?.freeze().resolve(ThreadSafeReference(to: every))
    },
    StopCase("Only managed objects may be wrapped as thread safe: add it to a Realm first.") {
      _ = ThreadSafe(wrappedValue: Every())
    },
  ]
}

import Cadastre
import Foundation

/// The run loop of a thread on which observers are notified.
enum RunLoopThread {
  /// What an observer keeps until the process ends.
  // Safe because it is used only on the thread of the run loop.
  final class Held: @unchecked Sendable {
    var token: NotificationToken?
  }

  /// Runs the loop of the current thread for ever.
  ///
  /// - Parameter body: Called once the loop runs, as observers need it.
  static func run(_ body: @escaping @Sendable (Held) -> Void) -> Never {
    let loop = RunLoop.current
    let held = Held()
    loop.add(Timer(timeInterval: 0, repeats: false) { _ in body(held) }, forMode: .default)
    // A loop without a timer ends at once.
    loop.add(Timer(timeInterval: 3600, repeats: true) { _ in }, forMode: .default)
    while true { _ = loop.run(mode: .default, before: .distantFuture) }
  }
}

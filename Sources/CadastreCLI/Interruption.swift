import CadastreStore
import Foundation

/// The end of the program by a signal.
enum Interruption {
  /// Removes temporary files when SIGINT, SIGTERM or SIGHUP ends the program.
  ///
  /// Must be called before other threads start: they inherit the blocked signals, so that only the
  /// thread that is started here receives them, outside of a signal handler.
  static func removeTemporaryFiles() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for code in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(code) { sigaddset(&signals, code) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let waited = signals
    Thread.detachNewThread {
      var signals = waited
      var code: Int32 = 0
      guard sigwait(&signals, &code) == 0 else { return }
      TemporaryFiles.removeAll()
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      kill(getpid(), code)
    }
  }

  /// Whether the parent has ignored a signal, as `nohup` does.
  private static func isIgnored(_ code: Int32) -> Bool {
    var action = sigaction()
    sigaction(code, nil, &action)
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #else
      let handler = action.__sigaction_handler.sa_handler
    #endif
    // Handlers are function pointers, which Swift cannot compare; SIG_IGN is an address that no
    // function has.
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

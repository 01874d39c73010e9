import Cadastre
package import Dispatch
import Foundation

/// What a program does with its Realm.
package enum Work: String, Sendable {
  /// Reads objects.
  case read
  /// Writes in the same context.
  case write
  /// Writes later, with a callback.
  case writeAsync
  /// Awaits a write.
  case asyncWrite
  /// Observes a result in callbacks until there is a change.
  case observe
  /// Awaits a change.
  case changes
  /// Freezes a result and thaws it, here and in another task.
  case freeze
  /// Opens the Realm in a function without isolation, writes and observes.
  case helper
  /// Uses the Realm in another task, which stops the process.
  case elsewhere
}

/// What a program is to do: its arguments are an entry, a work and the file of a store.
package struct Assignment: Sendable {
  /// The context in which the program opens its Realm.
  package let entry: String
  let work: Work
  let configuration: Realm.Configuration

  package init() {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let work = Work(rawValue: arguments[2]) else {
      fail("usage: \(arguments[0]) ENTRY WORK STORE")
    }
    entry = arguments[1]
    self.work = work
    configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: arguments[3]), objectTypes: [Item.self])
  }

  /// Opens the Realm in the context of the caller.
  package func open(queue: DispatchQueue? = nil, isolation: (any Actor)? = #isolation) -> Job {
    do {
      let realm =
        work == .helper
        ? try openInHelper(queue)
        : try Realm(configuration: configuration, queue: queue, isolation: isolation)
      return try Job(self, realm, queue)
    } catch {
      fail("\(error)")
    }
  }

  /// Opens the Realm in a function that has no isolation, whatever calls it.
  func openInHelper(_ queue: DispatchQueue?) throws -> Realm {
    try Realm(configuration: configuration, queue: queue)
  }

  /// Stops because the program has no such entry.
  package func failForEntry() -> Never { fail("no entry '\(entry)'") }
}

/// Ends the program after its work.
func end() -> Never {
  FileHandle.standardOutput.write(Data("done\n".utf8))
  _exit(0)
}

/// Ends the program because something is wrong.
func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("wrong: \(message)\n".utf8))
  _exit(2)
}

func require(_ condition: Bool, line: Int = #line) {
  if !condition { fail("line \(line)") }
}

import Cadastre
import Foundation

/// The object whose number the campaign changes.
class Beat: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted(indexed: true) var number = 0
}

/// What a watching process has seen.
struct Delivery {
  let number: Int
  /// The version of the store.
  let version: Int
  /// The time in nanoseconds on the clock of all processes.
  let time: Int64

  static let size = 3 * MemoryLayout<Int64>.size

  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Writes the delivery to standard output, in one piece.
  func send() {
    [Int64(number), Int64(version), time].withUnsafeBytes {
      _ = write(STDOUT_FILENO, $0.baseAddress, $0.count)
    }
  }

  /// Reads a delivery; nil at the end of the file.
  init?(from file: Int32) {
    var words: [Int64] = [0, 0, 0]
    // A write of a few bytes to a pipe is atomic.
    let count = words.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    guard count == Self.size else { return nil }
    (number, version, time) = (Int(words[0]), Int(words[1]), words[2])
  }

  /// What a Realm shows now.
  init(_ realm: Realm) throws {
    number = realm.object(ofType: Beat.self, forPrimaryKey: 0)?.number ?? -1
    version = try IsolationWorkload.version(of: realm)
    time = Self.now
  }
}

/// A process that watches the number in one way, and sends each delivery to its parent.
struct WatchWorker: Sendable {
  /// A way of watching.
  enum Kind: String, CaseIterable {
    /// `observe` of results on the run loop of the main thread.
    case results
    /// `observe` of results on a queue.
    case queue
    /// `observe` of a Realm on a thread with a run loop.
    case realm
    /// `observe` of an object on a queue.
    case object
    /// `changes()` in a task.
    case changes
    /// `observe` of results on an actor.
    case actor
  }

  /// The actor that observes results.
  private actor Watcher {}

  private let configuration: Realm.Configuration

  static func configuration(_ path: String) -> Realm.Configuration {
    Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: [Beat.self])
  }

  static func main(_ arguments: [String]) throws {
    guard arguments.count == 2, let kind = Kind(rawValue: arguments[1]) else {
      throw Failure("a worker needs a store and a way of watching")
    }
    Logger.shared = Logger { _, _, _ in }
    StandardInput.whenClosed { _exit(0) }
    try WatchWorker(configuration: configuration(arguments[0])).run(kind)
  }

  /// Uses a processor until the parent ends.
  static func spin() -> Never {
    StandardInput.whenClosed { _exit(0) }
    while true {}
  }

  private func run(_ kind: Kind) throws -> Never {
    switch kind {
    case .results:
      RunLoopThread.run { held in
        Self.orEnd {
          let realm = try Realm(configuration: configuration)
          held.token = realm.objects(Beat.self).observe { Self.send($0) }
        }
      }
    case .realm:
      Thread.detachNewThread {
        RunLoopThread.run { held in
          Self.orEnd {
            let realm = try Realm(configuration: configuration)
            held.token = realm.observe { _, realm in Self.send(realm) }
            Self.send(realm)
          }
        }
      }
      Self.sleepForever()
    case .queue:
      let realm = try Realm(configuration: configuration)
      let queue = DispatchQueue(label: "watch")
      Self.sleepForever(realm.objects(Beat.self).observe(on: queue) { Self.send($0) })
    case .object: try observeObject()
    case .changes:
      Task.detached {
        do {
          let realm = try Realm(configuration: configuration)
          for await change in realm.objects(Beat.self).changes() { Self.send(change) }
          throw Failure("the changes have ended")
        } catch {
          Self.end(error)
        }
      }
      Self.sleepForever()
    case .actor:
      Task.detached {
        do {
          let realm = try await Realm.open(configuration: configuration)
          let watcher = Watcher()
          let token = await realm.objects(Beat.self).observe(on: watcher) { _, change in
            Self.send(change)
          }
          while true {
            try await Task.sleep(for: .seconds(3600))
            withExtendedLifetime((watcher, token)) {}
          }
        } catch {
          Self.end(error)
        }
      }
      Self.sleepForever()
    }
  }

  private func observeObject() throws -> Never {
    let realm = try Realm(configuration: configuration)
    guard let beat = realm.object(ofType: Beat.self, forPrimaryKey: 0) else {
      throw Failure("the store has no object")
    }
    let queue = DispatchQueue(label: "watch")
    let token = beat.observe(on: queue) { (change: ObjectChange<Beat>) in
      switch change {
      case .change(let beat, _): if let realm = beat.realm { Self.send(realm) }
      case .deleted: Self.end(Failure("the object was deleted"))
      case .error(let error): Self.end(error)
      }
    }
    // The first state is not delivered; by now the queue observes.
    queue.async {
      Self.orEnd { Self.send(try Realm(configuration: configuration, queue: queue)) }
    }
    Self.sleepForever(token)
  }

  private static func send(_ change: RealmCollectionChange<Results<Beat>>) {
    switch change {
    case .initial(let beats), .update(let beats, _, _, _):
      if let realm = beats.realm { send(realm) }
    case .error(let error): end(error)
    }
  }

  private static func send(_ realm: Realm) { orEnd { try Delivery(realm).send() } }

  private static func orEnd(_ body: () throws -> Void) {
    do { try body() } catch { end(error) }
  }

  private static func end(_ error: any Error) -> Never {
    FileHandle.standardError.write(Data("FAILED: \(error)\n".utf8))
    _exit(1)
  }

  private static func sleepForever(_ token: NotificationToken? = nil) -> Never {
    while true {
      sleep(3600)
      withExtendedLifetime(token) {}
    }
  }
}

import Cadastre
import CadastreStore
import CadastreTestSupport
import Foundation

/// Two processes write one store at the same time, and one of them is killed repeatedly at random points.
///
/// All acknowledged commits must be in the store. At most one further commit may be there, and must be
/// complete. A check of the store must find no problem. The acknowledgements come through a pipe, so that
/// they are independent of the store.
enum KillRun {
  /// Kills writers, or is one of them.
  static func main(_ arguments: [String]) throws {
    if arguments.first == "write" { return try write(Array(arguments.dropFirst())) }
    let count = arguments.first.flatMap { Int($0) } ?? 200
    let seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    Report.say("\(count) kills, seed \(seed)")
    var run = Run(seed: seed)
    try run.kill(count)
    Report.say(run.summary)
  }

  private static func write(_ arguments: [String]) throws {
    guard arguments.count == 3, let writer = Int(arguments[1]), let seed = UInt64(arguments[2])
    else {
      throw Failure("a writer needs a path, its number and a seed")
    }
    try Writer.run(arguments[0], writer, seed: seed)
  }
}

/// The kills of one run.
private struct Run {
  private var random: SeededGenerator
  private let start = ContinuousClock.now
  private var kills = 0
  private var acknowledged = 0
  /// Commits in the store that were not acknowledged yet.
  private var unacknowledged = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  var summary: String {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return
      "\(kills) kills: all \(acknowledged) acknowledged commits are in the store, and \(unacknowledged) "
      + "complete ones more; every check was clean (\(Int(seconds)) s)"
  }

  /// The number of kills per store; a new store keeps the checks short.
  private static let killsOfStore = 20

  mutating func kill(_ count: Int) throws {
    while kills < count {
      let folder = FileManager.default.temporaryDirectory.path + "/cadastre-kills-\(UUID())"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // The store of a failed run is kept.
      do {
        try killOne(folder + "/store.cadastre", min(Self.killsOfStore, count - kills))
      } catch {
        throw Failure("\(error), after \(kills) kills, in \(folder)")
      }
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  /// Kills the victim a number of times, and the companion at the end.
  private mutating func killOne(_ path: String, _ count: Int) throws {
    let companion = try Child(path, writer: Workload.companion, seed: random.next())
    var known = 0
    for _ in 0..<count {
      let victim = try Child(path, writer: Workload.victim, seed: random.next())
      if random.oneIn(4) {
        // This can be while it opens or creates the store.
        usleep(UInt32(random.below(150_000)))
      } else {
        try victim.listen(for: 1 + random.below(6))
        usleep(UInt32(random.below(15_000)))
      }
      try victim.kill()
      kills += 1
      companion.listen()
      known = try verify(path, Workload.victim, max(known, victim.acknowledged))
      acknowledged += victim.acknowledgements
    }
    try companion.kill()
    _ = try verify(path, Workload.companion, companion.acknowledged)
    _ = try verify(path, Workload.victim, known)
    acknowledged += companion.acknowledgements
  }

  /// Compares the store with the acknowledgements of a killed writer.
  ///
  /// - Returns: The number of its commits.
  private mutating func verify(_ path: String, _ writer: Int, _ known: Int) throws -> Int {
    // The writer may have been killed before it created the store.
    guard known > 0 || FileManager.default.fileExists(atPath: path) else { return 0 }
    let realm = try Realm(configuration: Workload.configuration(path))
    let (commits, fault) = Workload.fault(writer, realm)
    if let fault { throw Failure(fault) }
    guard commits == known || commits == known + 1 else {
      throw Failure("writer \(writer) acknowledged \(known) commits, but the store has \(commits)")
    }
    unacknowledged += commits - known
    let problems = try StoreCheck(OpenStores.store(at: path).snapshot()).problems()
    guard problems.isEmpty else { throw Failure(problems.joined(separator: "; ")) }
    return commits
  }
}

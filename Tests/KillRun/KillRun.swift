import Cadastre
import CadastreStore
import CadastreTestSupport
import Foundation

/// Two programs write one store at once, and one of them is killed again and again at random points.
///
/// What a program has acknowledged before it was killed must be in the store, what it has not may be there
/// whole, and nothing else; and `cadastre check` must find nothing. The acknowledgements come through a pipe,
/// so that nothing that the store says of itself is believed.
@main
enum KillRun {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    do {
      if arguments.first == "write" { return try write(Array(arguments.dropFirst())) }
      let count = arguments.first.flatMap { Int($0) } ?? 200
      let seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? .random(in: 1...999_999)
      say("\(count) kills, seed \(seed)", to: .standardOutput)
      var run = Run(seed: seed)
      try run.kill(count)
      say(run.summary, to: .standardOutput)
    } catch {
      say("FAILED: \(error)", to: .standardError)
      exit(1)
    }
  }

  /// Prints a line at once, so that the seed is known whatever happens.
  private static func say(_ line: String, to output: FileHandle) {
    output.write(Data((line + "\n").utf8))
  }

  private static func write(_ arguments: [String]) throws {
    guard arguments.count == 3, let writer = Int(arguments[1]), let seed = UInt64(arguments[2])
    else {
      throw Failure("a writer is told a path, its number and a seed")
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
  /// Commits that were in the store although their writer had not said so yet.
  private var unacknowledged = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  var summary: String {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return
      "\(kills) kills: all of \(acknowledged) acknowledged commits are there, \(unacknowledged) more are "
      + "there whole, every check was clean (\(Int(seconds)) s)"
  }

  /// Kills of one store, after which another begins: what is checked stays small.
  private static let killsOfStore = 20

  mutating func kill(_ count: Int) throws {
    while kills < count {
      let folder = FileManager.default.temporaryDirectory.path + "/cadastre-kills-\(UUID())"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // What a failure leaves stays, to be looked at.
      do {
        try killOne(folder + "/store.cadastre", min(Self.killsOfStore, count - kills))
      } catch {
        throw Failure("\(error), after \(kills) kills, in \(folder)")
      }
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  /// Kills a writer of one store some number of times, and the other one at the end.
  private mutating func killOne(_ path: String, _ count: Int) throws {
    let companion = try Child(path, writer: Deeds.companion, seed: random.next())
    var known = 0
    for _ in 0..<count {
      let victim = try Child(path, writer: Deeds.victim, seed: random.next())
      if random.oneIn(4) {
        // Perhaps while it opens the store, or makes it.
        usleep(UInt32(random.below(150_000)))
      } else {
        try victim.listen(for: 1 + random.below(6))
        usleep(UInt32(random.below(15_000)))
      }
      try victim.kill()
      kills += 1
      companion.listen()
      known = try verify(path, Deeds.victim, max(known, victim.acknowledged))
      acknowledged += victim.acknowledgements
    }
    try companion.kill()
    _ = try verify(path, Deeds.companion, companion.acknowledged)
    _ = try verify(path, Deeds.victim, known)
    acknowledged += companion.acknowledgements
  }

  /// Holds the store against what a writer that is gone has acknowledged.
  ///
  /// - Returns: The number of its commits.
  private mutating func verify(_ path: String, _ writer: Int, _ said: Int) throws -> Int {
    // A writer that was killed before it made the store has left nothing.
    guard said > 0 || FileManager.default.fileExists(atPath: path) else { return 0 }
    let (deeds, fault) = Deeds.fault(writer, try Realm(configuration: Deeds.configuration(path)))
    if let fault { throw Failure(fault) }
    guard deeds == said || deeds == said + 1 else {
      throw Failure("writer \(writer) had acknowledged \(said) commits, and \(deeds) are there")
    }
    unacknowledged += deeds - said
    let problems = try StoreCheck(OpenStores.store(at: path).snapshot()).problems()
    guard problems.isEmpty else { throw Failure(problems.joined(separator: "; ")) }
    return deeds
  }
}

import Cadastre
import Foundation

/// Runs short operations under callgrind; started by `Benchmarks/counts`.
///
/// Each round runs twice as a warm-up and once in `countedRound`, whose name starts the counting.
@main enum CountBenchmark {
  static func main() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let stored = try Fleet(folder, name: "columns", storing: .always)
    for round in try rounds(Fleet(folder, name: "fleet"), stored) {
      for _ in 0..<2 { try round.body() }
      try countedRound(round)
      print("\(round.operations)\t\(round.name)")
    }
    FileHandle.standardError.write(Data("\(sink & 1)\n".utf8))
  }
}

/// Runs a round; callgrind begins to count when this function is entered.
@inline(never) func countedRound(_ round: Round) throws {
  try round.body()
  countedEnd()
}

/// Does nothing; callgrind writes its counts when this function is entered.
@inline(never) func countedEnd() { sink &+= 1 }

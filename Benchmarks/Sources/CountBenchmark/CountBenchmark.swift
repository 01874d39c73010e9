import Foundation

/// Does some work of each kind under callgrind, which `Benchmarks/counts` starts it in.
///
/// Each round is run to warm up, and then once more in `countedRound`, by whose name callgrind counts it.
@main enum CountBenchmark {
  static func main() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for round in try rounds(Fleet(folder)) {
      for _ in 0..<2 { try round.body() }
      try countedRound(round)
      print("\(round.operations)\t\(round.name)")
    }
    FileHandle.standardError.write(Data("\(kept & 1)\n".utf8))
  }
}

/// The function at whose beginning counting begins; there is no other of this name.
@inline(never) func countedRound(_ round: Round) throws {
  try round.body()
  countedEnd()
}

/// The function at whose beginning callgrind writes down what it has counted.
@inline(never) func countedEnd() { kept &+= 1 }

import Foundation

/// What DuckDB says to the questions, through Python; nothing where it is not installed.
enum DuckDB {
  struct Finding {
    let milliseconds: Double
    let hits: Int
  }

  static func ask(_ questions: [Question], places: URL) throws -> [String: Finding] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("duck.py")
    process.arguments = ["python3", script.path, places.path, "1"]
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    let lines = questions.map { "\($0.name)\t\($0.duck ?? $0.sql)\n" }.joined()
    try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
    try input.fileHandleForWriting.close()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      print("DuckDB is left out: python3 cannot import duckdb (pip install duckdb).")
    }
    var findings: [String: Finding] = [:]
    for line in String(decoding: answer, as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: "\t")
      guard fields.count == 3, let time = Double(fields[1]), let hits = Int(fields[2]) else {
        continue
      }
      findings[String(fields[0])] = Finding(milliseconds: time, hits: hits)
    }
    return findings
  }
}

import Foundation

/// The measurements of DuckDB, through Python; empty if DuckDB is not installed.
enum DuckDB {
  struct Measurement {
    let milliseconds: Double
    let hits: Int
  }

  static func measure(_ queries: [PlaceQuery], places: URL) throws -> [String: Measurement] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("duck.py")
    process.arguments = ["python3", script.path, places.path, "1"]
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    let lines = queries.map { "\($0.name)\t\($0.duck ?? $0.sql)\n" }.joined()
    try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
    try input.fileHandleForWriting.close()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      print("DuckDB is skipped: python3 cannot import duckdb (pip install duckdb).")
    }
    var measurements: [String: Measurement] = [:]
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: "\t")
      guard fields.count == 3, let time = Double(fields[1]), let hits = Int(fields[2]) else {
        continue
      }
      measurements[String(fields[0])] = Measurement(milliseconds: time, hits: hits)
    }
    return measurements
  }
}

import Foundation

/// Replies to each command on standard input with a line of JSON, until `quit` or the end of the
/// input.
///
/// The arguments of the process are the folder of the data and the folder of the engine's files.
public func runEngine<Engine: MeasuredEngine>(_ type: Engine.Type) throws {
  let arguments = CommandLine.arguments
  guard arguments.count == 3 else {
    FileHandle.standardError.write(Data("usage: \(arguments[0]) DATA_FOLDER WORK_FOLDER\n".utf8))
    exit(2)
  }
  let data = try EngineData(URL(fileURLWithPath: arguments[1]))
  var session = Session<Engine>(data, URL(fileURLWithPath: arguments[2]))
  try reply([
    "engine": Engine.name, "version": Engine.version, "threads": Engine.threads,
    "edges": Engine.edges, "note": Engine.note,
  ])
  while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    if words == ["quit"] { return }
    do {
      try reply(try session.reply(to: words))
    } catch let skipped as Skipped {
      try reply(["skip": skipped.reason])
    }
  }
}

private func reply(_ fields: [String: Any]) throws {
  let line = try JSONSerialization.data(withJSONObject: fields, options: .sortedKeys)
  FileHandle.standardOutput.write(line + Data("\n".utf8))
}

private struct Session<Engine: MeasuredEngine> {
  let data: EngineData
  let work: URL
  var engine: Engine

  init(_ data: EngineData, _ work: URL) {
    (self.data, self.work, engine) = (data, work, Engine(data, work))
  }

  mutating func reply(to words: [String]) throws -> [String: Any] {
    switch words.first {
    case "load":
      let loaded = try engine.load()
      return [
        "seconds": loaded.seconds, "indexSeconds": loaded.indexSeconds ?? NSNull(),
        "bytes": loaded.bytes,
      ]
    case "open": return ["seconds": try seconds { try engine.open() }]
    case "query" where words.count == 3: return try query(words[1], runs: Int(words[2]) ?? 1)
    case "write" where words.count == 2:
      let written = try engine.write(words[1])
      return [
        "seconds": written.seconds, "count": written.count, "bytes": written.bytes ?? NSNull(),
      ]
    case "threads" where words.count >= 4:
      let rates = try Readers<Engine>(data, work, words[1]).run(
        Int(words[2]) ?? 1, seconds: Double(words[3]) ?? 1, besideWriter: words.last == "writer")
      return ["perSecond": rates.queries, "commitsPerSecond": rates.commits ?? NSNull()]
    default: throw Skipped("unknown command: \(words.joined(separator: " "))")
    }
  }

  private func query(_ name: String, runs: Int) throws -> [String: Any] {
    let (run, kind) = try engine.query(name, in: data)
    var result = EngineResult.count(0)
    let times = try (0..<runs).map { _ in try seconds { result = try run() } * 1000 }
    let (hits, sum) = result.summed(kind)
    return ["ms": times, "hits": hits, "sum": sum]
  }
}

extension MeasuredEngine {
  /// Returns a closure that runs the query of a name, and the kind of its result.
  ///
  /// A "p" at the end of the name selects edges that are straight in degrees; engines without great
  /// circles always use them.
  func query(
    _ name: String, in data: EngineData
  ) throws -> (run: () throws -> EngineResult, kind: ResultKind) {
    let isPlanar = name.hasSuffix("p")
    let base = isPlanar ? String(name.dropLast()) : name
    guard let constants = data.queries[base] else { throw Skipped("unknown query: \(name)") }
    let planar = isPlanar || Self.edges == ["planar"]
    return (try query(base, constants, planar: planar), constants.result)
  }
}

import Foundation

/// Answers the commands on standard input, each with a line of JSON, until `quit` or its end.
///
/// Arguments of the process: the folder of the data, and one for the engine's files.
public func runEngine<Engine: MeasuredEngine>(_ type: Engine.Type) throws {
  let arguments = CommandLine.arguments
  guard arguments.count == 3 else {
    FileHandle.standardError.write(Data("usage: \(arguments[0]) DATA_FOLDER WORK_FOLDER\n".utf8))
    exit(2)
  }
  let data = try EngineData(URL(fileURLWithPath: arguments[1]))
  var conversation = Conversation<Engine>(data, URL(fileURLWithPath: arguments[2]))
  try reply([
    "engine": Engine.name, "version": Engine.version, "threads": 1, "edges": Engine.edges,
    "note": Engine.note,
  ])
  while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    if words == ["quit"] { return }
    do {
      try reply(try conversation.answer(words))
    } catch let skipped as Skipped {
      try reply(["skip": skipped.why])
    }
  }
}

private func reply(_ fields: [String: Any]) throws {
  let line = try JSONSerialization.data(withJSONObject: fields, options: .sortedKeys)
  FileHandle.standardOutput.write(line + Data("\n".utf8))
}

private struct Conversation<Engine: MeasuredEngine> {
  let data: EngineData
  let work: URL
  var engine: Engine

  init(_ data: EngineData, _ work: URL) {
    (self.data, self.work, engine) = (data, work, Engine(data, work))
  }

  mutating func answer(_ words: [String]) throws -> [String: Any] {
    switch words.first {
    case "load":
      let loaded = try engine.load()
      return [
        "seconds": loaded.seconds, "indexSeconds": loaded.indexSeconds ?? NSNull(),
        "bytes": loaded.bytes,
      ]
    case "open": return ["seconds": try seconds { try engine.open() }]
    case "ask" where words.count == 3: return try ask(words[1], runs: Int(words[2]) ?? 1)
    case "write" where words.count == 2:
      let written = try engine.write(words[1])
      return [
        "seconds": written.seconds, "count": written.count, "bytes": written.bytes ?? NSNull(),
      ]
    case "threads" where words.count >= 4:
      let rates = try Readers<Engine>(data, work, words[1]).run(
        Int(words[2]) ?? 1, seconds: Double(words[3]) ?? 1, besideWriter: words.last == "writer")
      return ["perSecond": rates.questions, "commitsPerSecond": rates.commits ?? NSNull()]
    default: throw Skipped("\(words.joined(separator: " ")) is not known")
    }
  }

  private func ask(_ name: String, runs: Int) throws -> [String: Any] {
    let (asking, kind) = try engine.asking(name, in: data)
    var found = Found.count(0)
    let times = try (0..<runs).map { _ in try seconds { found = try asking() } * 1000 }
    let (hits, sum) = found.summed(kind)
    return ["ms": times, "hits": hits, "sum": sum]
  }
}

extension MeasuredEngine {
  /// What asks the question of a name; a "p" at its end stands for edges straight in degrees, which an
  /// engine that knows no others always has.
  func asking(
    _ name: String, in data: EngineData
  ) throws -> (ask: () throws -> Found, kind: AnswerKind) {
    let isPlanar = name.hasSuffix("p")
    let base = isPlanar ? String(name.dropLast()) : name
    guard let question = data.questions[base] else { throw Skipped("\(name) is not known") }
    let planar = isPlanar || Self.edges == ["planar"]
    return (try asking(base, question, planar: planar), question.answer)
  }
}

/// What one process has logged.
struct IsolationHistory {
  /// A version that a reader has seen.
  struct Sight {
    let reader: String
    let version: Int
    /// The steps of the command line that its cards have.
    let steps: [Int]
    /// The hashes of its parts.
    let hashes: [UInt64]
  }

  let name: String
  private var log: EventReader
  /// The transactions that were begun.
  private(set) var begun: Set<String> = []
  /// The versions of the acknowledged transactions.
  private(set) var committed: [String: Int] = [:]
  private(set) var cancelled: Set<String> = []
  private(set) var sights: [Sight] = []
  /// The newest version that each reader has seen.
  private(set) var newest: [String: Int] = [:]
  private(set) var errors: [String] = []
  /// The number of writers that have ended.
  private(set) var endedWriters = 0

  init(_ name: String, in folder: String) {
    self.name = name
    log = EventReader(folder + "/" + name + ".log")
  }

  /// Reads what the process has logged since the last call.
  ///
  /// - Throws: ``Failure`` for a line that no process writes.
  mutating func update() throws {
    for line in try log.lines() {
      let words = line.split(separator: " ")
      switch (words.first ?? "", words.count) {
      case ("begin", 2): begun.insert(String(words[1]))
      case ("cancelled", 2): cancelled.insert(String(words[1]))
      case ("committed", 3): committed[String(words[1])] = Int(words[2])
      case ("written", 1): endedWriters += 1
      case ("error", _): errors.append(String(line.dropFirst("error ".count)))
      case ("seen", 3 + CardCommand.owners + IsolationContent.parts.count):
        try see(words)
      default: throw Failure("\(name) has logged '\(line)'")
      }
    }
  }

  private mutating func see(_ words: [Substring]) throws {
    let steps = words[3..<3 + CardCommand.owners].compactMap { Int($0) }
    let hashes = words[(3 + CardCommand.owners)...].compactMap { UInt64($0) }
    guard let version = Int(words[2]), steps.count == CardCommand.owners,
      hashes.count == IsolationContent.parts.count
    else { throw Failure("\(name) has logged '\(words.joined(separator: " "))'") }
    let reader = String(words[1])
    if let last = newest[reader], version < last {
      errors.append("\(reader) went from version \(last) back to \(version)")
    }
    newest[reader] = version
    sights.append(Sight(reader: reader, version: version, steps: steps, hashes: hashes))
  }
}

/// Compares what all processes have logged with the transactions that the store contains.
struct IsolationCheck {
  /// The transactions of the store, in the order of their versions.
  let turns: [TurnRecord]
  /// The version of the new store.
  let base: Int
  /// The newest version.
  let newest: Int

  /// The last version whose commit changed what a watcher watches.
  func lastChange(for watcher: IsolationWorker.Watcher) -> Int {
    let last: TurnRecord? =
      switch watcher {
      case .realm: nil
      case .results: turns.last { $0.kind == .sheet }
      case .changes: turns.last { $0.kind == .transfer && $0.source != $0.target }
      }
    return watcher == .realm ? newest : last?.version ?? base
  }

  /// Returns what contradicts the transactions, one sentence each.
  func findings(_ histories: [IsolationHistory]) -> [String] {
    var findings = orderFindings()
    let versions = Dictionary(turns.map { ($0.id, $0.version) }) { first, _ in first }
    var begun: Set<String> = []
    for history in histories {
      begun.formUnion(history.begun)
      findings += history.errors.map { "process \(history.name): \($0)" }
      for (id, version) in history.committed.sorted(by: { $0.value < $1.value })
      where versions[id] != version {
        let found = versions[id].map { "has it as version \($0)" } ?? "does not have it"
        findings.append(
          "transaction \(id) was acknowledged as version \(version), and the store \(found)")
      }
      for id in history.cancelled where versions[id] != nil {
        findings.append("transaction \(id) was cancelled, and the store has it")
      }
    }
    for turn in turns where !begun.contains(turn.id) {
      findings.append("no process has begun transaction \(turn.id) of version \(turn.version)")
    }
    return findings + sightFindings(histories)
  }

  private func orderFindings() -> [String] {
    zip(turns, turns.dropFirst()).filter { $0.version >= $1.version }.map {
      "the transactions \($0.id) and \($1.id) have the versions \($0.version) and \($1.version)"
    }
  }

  /// Compares each version that was seen with the content that the transactions up to it give.
  private func sightFindings(_ histories: [IsolationHistory]) -> [String] {
    var sights: [Int: [(process: String, sight: IsolationHistory.Sight)]] = [:]
    for history in histories {
      for sight in history.sights {
        sights[sight.version, default: []].append((history.name, sight))
      }
    }
    var findings: [String] = []
    var content = IsolationContent()
    var (done, steps) = (0, [Int](repeating: 0, count: CardCommand.owners))
    for (version, seen) in sights.sorted(by: { $0.key < $1.key }) {
      while done < turns.count, turns[done].version <= version {
        content.apply(turns[done])
        done += 1
      }
      let hashes = content.hashes(at: version)
      for (process, sight) in seen {
        let place = "\(sight.reader) of process \(process) at version \(version)"
        for (part, name) in IsolationContent.parts.enumerated()
        where sight.hashes[part] != hashes[part] {
          findings.append(
            "\(place): other \(name) than the commits give: \(content.texts(at: version)[part])")
        }
        // Each version is one commit, of the library or of a command.
        guard done + sight.steps.reduce(0, +) == version - base else {
          findings.append(
            "\(place): \(done) transactions and the steps \(sight.steps) of commands are not \(version - base) "
              + "commits")
          continue
        }
        if zip(sight.steps, steps).contains(where: { $0 < $1 }) {
          findings.append("\(place): steps \(sight.steps) of commands after \(steps)")
        }
        steps = sight.steps
      }
    }
    return findings
  }
}

import Cadastre
import Foundation

/// Measures writes; arguments select measurements.
@main enum WriteBenchmark {
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let names = CommandLine.arguments.dropFirst()
    func isSelected(_ name: String) -> Bool { names.isEmpty || names.contains(name) }
    if isSelected("async") { try await measureAsyncWrites(folder) }
    if isSelected("shared") { try await measureSharedSync(folder) }
    if isSelected("batches") { try measureBatches(folder) }
  }
}

/// Returns the configuration of a new store.
func configuration(_ folder: URL, _ types: ObjectBase.Type...) -> Realm.Configuration {
  Realm.Configuration(
    fileURL: folder.appendingPathComponent(UUID().uuidString + ".cadastre"), objectTypes: types)
}

/// Returns the seconds since a moment.
func seconds(since start: ContinuousClock.Instant) -> Double {
  (ContinuousClock.now - start) / .seconds(1)
}

/// Returns the median of some times.
func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

/// Prints the titles of the columns that `report` prints.
func header(_ title: String, _ ours: String, _ peer: String) {
  func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
  print(
    "\n" + ("nanoseconds: " + title).padding(toLength: 52, withPad: " ", startingAt: 0)
      + right(ours, 12) + right("of " + peer, 10))
}

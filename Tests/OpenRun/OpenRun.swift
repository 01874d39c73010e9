import Foundation

/// Opens and closes Realms, and checks that descriptors and memory are released.
///
/// The argument is the number of openings. A tenth of them, but at least 1,000, come first; afterwards
/// the resources must not grow.
@main
struct OpenRun {
  /// The memory that may remain in the caches of the allocator.
  private static let memoryMargin = 32_000_000

  static func main() async throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let opening = try Opening(in: folder)
    try await opening.run(max(1000, count / 10))
    let first = try await idle()
    let clock = ContinuousClock.now
    try await opening.run(count)
    let duration = ContinuousClock.now - clock
    let last = try await idle()
    print(
      """
      \(count) openings in \(duration.formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 1))))
      descriptors: \(first.descriptors) before, \(last.descriptors) after
      memory: \(first.memory / 1_000_000) MB before, \(last.memory / 1_000_000) MB after
      """)
    if last.descriptors > first.descriptors { throw Leak(description: "descriptors remain open") }
    if last.memory > first.memory + memoryMargin { throw Leak(description: "the memory grew") }
  }

  /// The resources once the background work of the last Realms has ended.
  private static func idle() async throws -> Usage {
    try await Task.sleep(for: .seconds(1))
    return try Usage.current()
  }
}

struct Leak: Error {
  let description: String
}

public import Foundation

/// What is measured; `runEngine` talks with `Benchmarks/run` on its behalf.
///
/// Every thread that asks has one of its own.
public protocol MeasuredEngine: SendableMetatype {
  static var name: String { get }
  static var version: String { get }
  /// Whose edges it knows: `spherical`, `planar`.
  static var edges: [String] { get }
  /// What a reader of the report should know.
  static var note: String { get }

  init(_ data: EngineData, _ work: URL)

  /// Builds the store and all indexes anew, and leaves it open.
  mutating func load() throws -> Loaded
  /// Opens what was loaded before.
  mutating func open() throws
  /// A closure that asks a question whole, from the engine's own form of it to what was found.
  func asking(_ name: String, _ question: EngineQuestion, planar: Bool) throws -> () throws -> Found
  /// Carries out a writing task, on a store of its own.
  func write(_ task: String) throws -> Written
  /// Commits the new place of a number durably to what was loaded.
  func commit(_ number: Int) throws
  /// Removes all new places.
  func removeNew() throws
}

/// How a store was built.
public struct Loaded {
  var seconds: Double
  var indexSeconds: Double?
  var bytes: Int

  public init(seconds: Double, indexSeconds: Double? = nil, bytes: Int) {
    (self.seconds, self.indexSeconds, self.bytes) = (seconds, indexSeconds, bytes)
  }
}

/// How a writing task went.
public struct Written {
  var seconds: Double
  var count: Int
  var bytes: Int?

  public init(seconds: Double, count: Int, bytes: Int? = nil) {
    (self.seconds, self.count, self.bytes) = (seconds, count, bytes)
  }
}

/// Why an engine cannot be asked something.
public struct Skipped: Error {
  let why: String

  public init(_ why: String) { self.why = why }
}

/// How many places W3 commits one by one.
public let commitsOfW3 = 500

/// The seconds that something takes.
public func seconds(_ body: () throws -> Void) rethrows -> Double {
  let time = try ContinuousClock().measure(body).components
  return Double(time.seconds) + Double(time.attoseconds) / 1e18
}

/// The bytes of a file.
public func bytes(of file: URL) -> Int {
  (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
}

/// Removes a file of SQLite's and what lies beside it.
public func remove(_ file: URL) throws {
  let folder = file.deletingLastPathComponent()
  for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
  where name.hasPrefix(file.lastPathComponent) {
    try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
  }
}

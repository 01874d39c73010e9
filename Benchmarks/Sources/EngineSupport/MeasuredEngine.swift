public import Foundation

/// An engine under measurement; `runEngine` implements the protocol of `Benchmarks/run` for it.
///
/// Each thread that runs queries has its own engine.
public protocol MeasuredEngine: SendableMetatype {
  static var name: String { get }
  static var version: String { get }
  /// The supported edges: `spherical`, `planar`.
  static var edges: [String] { get }
  /// A note for the report.
  static var note: String { get }
  /// The largest number of threads of one query.
  static var threads: Int { get }

  init(_ data: EngineData, _ work: URL)

  /// Builds a new store with all indexes and keeps it open.
  mutating func load() throws -> Loaded
  /// Opens the store of an earlier `load`.
  mutating func open() throws
  /// Returns a closure that runs a query completely, from the engine's own form of it to the
  /// result.
  func query(_ name: String, _ constants: EngineQuery, planar: Bool) throws -> () throws ->
    EngineResult
  /// Runs a writing task on a separate store.
  func write(_ task: String) throws -> Written
  /// Commits the new place of a number durably to the loaded store.
  func commit(_ number: Int) throws
  /// Removes all new places.
  func removeNew() throws
}

extension MeasuredEngine {
  public static var threads: Int { 1 }
}

/// The measurements of a loaded store.
public struct Loaded {
  var seconds: Double
  var indexSeconds: Double?
  var bytes: Int

  public init(seconds: Double, indexSeconds: Double? = nil, bytes: Int) {
    (self.seconds, self.indexSeconds, self.bytes) = (seconds, indexSeconds, bytes)
  }
}

/// The measurements of a writing task.
public struct Written {
  var seconds: Double
  var count: Int
  var bytes: Int?

  public init(seconds: Double, count: Int, bytes: Int? = nil) {
    (self.seconds, self.count, self.bytes) = (seconds, count, bytes)
  }
}

/// The reason why an engine does not support a command.
public struct Skipped: Error {
  let reason: String

  public init(_ reason: String) { self.reason = reason }
}

/// The number of commits of W3.
public let commitsOfW3 = 500

/// Returns the seconds that a closure takes.
public func seconds(_ body: () throws -> Void) rethrows -> Double {
  let time = try ContinuousClock().measure(body).components
  return Double(time.seconds) + Double(time.attoseconds) / 1e18
}

/// Returns the size of a file in bytes.
public func bytes(of file: URL) -> Int {
  (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
}

/// Removes an SQLite file and the files with the same prefix.
public func remove(_ file: URL) throws {
  let folder = file.deletingLastPathComponent()
  for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
  where name.hasPrefix(file.lastPathComponent) {
    try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
  }
}

import CadastreDatasets
import CadastreModel
import CadastreQuery
import CadastreSQLite
import CadastreStore
import Foundation

/// The service that responds to requests of the page and of the standard interfaces, from one store.
final class ExplorerService: Sendable {
  let file: StoreFile
  /// The name of the store's file.
  let name: String
  let rules: AccessRules
  let visibility: Visibility
  /// Whether requests may change objects.
  let isWritable: Bool
  /// The maximum time for which a change waits for other writers.
  let writeTimeout: Duration
  let work: WorkQueue
  let page = PageFiles()
  let changes: ChangeBroadcast
  private let keys = Guarded(
    BoundedCache<Selection.Version, [Int64]>(maximumCount: 64, maximumCost: 64 << 20))
  let tiles = Guarded(
    BoundedCache<TileRequest, [UInt8]>(maximumCount: 4096, maximumCost: 64 << 20))
  let pyramids = SharedResults<Selection.Version, CellPyramid>(
    maximumCount: 16, maximumCost: 256 << 20)
  let fieldValues = SharedResults<FieldKey, CellValues>(maximumCount: 32, maximumCost: 64 << 20)
  let extents = Guarded(BoundedCache<ExtentKey, [Double]?>(maximumCount: 64, maximumCost: 64))

  /// The maximum number of rows of a page of results.
  static let mostRows = 10_000
  /// The size of a page of results in bytes, after which the page ends.
  static let mostPageBytes = 16 << 20

  struct ExtentKey: Hashable {
    let className: String
    let version: Int64
  }

  /// Opens a store.
  ///
  /// - Throws: `StoreError` if the file is missing or is not a store.
  init(store path: String, options: StoreServer.Options) throws(StoreError) {
    file =
      try options.isWritable
      ? OpenStores.store(at: path, mustExist: true) : OpenStores.readableStore(at: path)
    isWritable = options.isWritable
    writeTimeout = options.timeout
    name = URL(fileURLWithPath: path).lastPathComponent
    rules = AccessRules(options)
    visibility = options.visibility
    work = WorkQueue(
      threads: ProcessInfo.processInfo.activeProcessorCount + 2, timeout: options.timeout)
    changes = try ChangeBroadcast(file, visibility)
  }

  /// Returns the response to a request; errors become responses.
  func reply(to request: ServerRequest) async -> ServerReply {
    do {
      try await rules.check(request)
      switch request.method {
      case "GET", "HEAD": return try await route(request)
      default: return try await change(request)
      }
    } catch {
      return RequestError(error).reply
    }
  }

  /// The first path segments of the service; empty for the landing page.
  static let firstSegments: Set = [
    "", "explorer", "favicon.ico", "conformance", "api", "tileMatrixSets", "collections",
  ]

  private func route(_ request: ServerRequest) async throws -> ServerReply {
    switch (request.path.first, request.path.count) {
    case (nil, 0): return try landing(request)
    case ("explorer", 2...): return try await explorer(request)
    case ("favicon.ico", 1):
      if let icon = page["icon.svg"] { return icon }
      throw RequestError.notFound("there is no icon")
    default: return try await features(request)
    }
  }

  private func explorer(_ request: ServerRequest) async throws -> ServerReply {
    if request.path[1] == "assets", request.path.count == 3 {
      guard let file = page[request.path[2]] else {
        throw RequestError.notFound("there is no file '\(request.path[2])'")
      }
      return file
    }
    if request.path.dropFirst() == ["download"] { return try await download(request) }
    return try await work.run(request.cancellation) { try self.explorerRoute(request) }
  }

  private func explorerRoute(_ request: ServerRequest) throws -> ServerReply {
    switch (request.path[1], request.path.count) {
    case ("store", 2): return try describeStore(request)
    case ("check", 2): return try checkPredicate(request)
    case ("complete", 2): return try complete(request)
    case ("query", 2): return try rows(request)
    case ("explain", 2): return try explain(request)
    case ("aggregate", 2): return try groups(request)
    case ("values", 2): return try values(request)
    default:
      throw RequestError.notFound("there is no page '/\(request.path.joined(separator: "/"))'")
    }
  }

  /// Returns the keys of the matching objects, with a cache of recent queries.
  func keys(_ selection: Selection, _ query: StoreQuery, _ view: StoreView) throws -> [Int64] {
    let version = Selection.Version(selection: selection, version: view.version)
    if let cached = keys.withLock({ $0.value(for: version) }) { return cached }
    let matching = try query.keys()
    keys.withLock { $0.insert(matching, for: version, cost: matching.count * 8 + 256) }
    return matching
  }

  /// Opens the newest version for a request.
  func view(_ request: ServerRequest) throws(StoreError) -> StoreView {
    let snapshot = try file.snapshot()
    snapshot.connection.cancellation = request.cancellation
    return StoreView(snapshot, visibility)
  }

  // MARK: Pages

  private struct PageIsFull: Error {}

  /// Calls a closure with the objects of a page.
  ///
  /// - Parameters:
  ///   - page: The keys of existing objects; keys after the last object of the page are removed.
  ///   - query: The query that reads the objects.
  ///   - body: The closure, which returns whether the page has room for another object.
  /// - Throws: `StoreError`, or the error of the closure.
  func forEachRecord(
    of page: inout [Int64], _ query: StoreQuery, _ body: (StoredRecord, Int64) throws -> Bool
  ) throws {
    var count = 0
    do {
      try query.forEachRecord(page) { record in
        count += 1
        guard try body(record, page[count - 1]) else { throw PageIsFull() }
      }
    } catch is PageIsFull {
      page.removeLast(page.count - count)
    }
  }
}

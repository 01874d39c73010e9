#if os(Linux)
  import CadastreSQLite
  import CadastreTestSupport
  import Foundation
  import Testing

  @testable import CadastreDatasets
  @testable import CadastreStore

  /// Imports with more index entries than memory may hold, whose temporary file fails.
  @Suite struct ImportMemoryTests {
    private let folder: ScratchFolder
    private let settings: ImportSettings

    init() throws {
      folder = try ScratchFolder()
      var random = SeededGenerator(seed: 5)
      let rows = (0..<20_000).map {
        "\($0),\(random.number(-180...180)),\(random.number(-90...90))\n"
      }
      settings = ImportSettings(
        files: [try folder.file("table.csv", "n,lon,lat\n" + rows.joined())],
        store: folder.url.appendingPathComponent("s").path, className: "T")
    }

    /// Runs the import with little memory.
    ///
    /// - Parameters:
    ///   - rows: The number of rows after which the temporary file is replaced.
    ///   - path: The file that replaces the temporary file.
    /// - Returns: The error; nil without one.
    /// - Throws: Errors other than `StoreError`.
    private func error(after rows: Int, replacingBy path: String) throws -> StoreError? {
      var isReplaced = false
      let importer = Importer(settings) { [folder] progress in
        guard progress.phase != .checking, progress.rows >= rows, !isReplaced else { return }
        isReplaced = try Self.replaceTemporaryFile(in: folder.url.path, by: path)
        #expect(isReplaced)
      }
      do {
        _ = try SpatialMemory.$capacity.withValue(1000) { try importer.run() }
        return nil
      } catch let error as StoreError {
        return error
      }
    }

    /// Lets the descriptors of removed files in a folder refer to another file.
    private static func replaceTemporaryFile(in folder: String, by path: String) throws -> Bool {
      var isReplaced = false
      for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
        guard let descriptor = Int32(name),
          let target = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/\(name)"),
          target.hasPrefix(folder + "/cadastre-temporary-"), target.hasSuffix("(deleted)")
        else { continue }
        let other = open(path, O_RDWR | O_CLOEXEC)
        defer { close(other) }
        isReplaced = dup2(other, descriptor) >= 0
      }
      return isReplaced
    }

    private var names: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
    }

    @Test func `an import with little memory is complete and leaves no temporary file`() throws {
      let report = try SpatialMemory.$capacity.withValue(1000) { try Importer(settings).run() }
      #expect(report.inserted == 20_000)
      #expect(try OpenStores.store(at: settings.store).snapshot().spatialProblems() == [])
      #expect(try names.allSatisfy { !$0.hasPrefix("cadastre-temporary-") })
    }

    @Test func `a full disk under the temporary file rolls the import back`() throws {
      let error = try error(after: 5000, replacingBy: "/dev/full")
      #expect(error?.reason == .diskFull && error?.path.hasSuffix("/s") == true)
      #expect(try names == ["table.csv"])
    }

    @Test func `a temporary file that cannot be read rolls the import back`() throws {
      let error = try error(after: 20_000, replacingBy: "/dev/null")
      guard case .sqlite(code: Int(EIO), _)? = error?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(try names == ["table.csv"])
    }

    @Test func `an import into a store with objects leaves them after an error`() throws {
      _ = try Importer(settings).run()
      #expect(try error(after: 10_000, replacingBy: "/dev/full")?.reason == .diskFull)
      let snapshot = try OpenStores.store(at: settings.store).snapshot()
      #expect(try snapshot.rowCount("T") == 20_000)
      #expect(try StoreCheck(snapshot).problems() == [])
    }
  }
#endif

import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

@Suite struct KilledWriterTests {
  @Test func `a killed writer leaves no trace of an uncommitted transaction`() async throws {
    let folder = try TestFolder()
    let path = folder.file("killed.cadastre")

    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let file = try OpenStores.store(at: path)
      try file.prepare(for: Boats.schema)
      try add(["code": .text("kept"), "site": Boats.point(1, 1)], to: "Harbor", file)
      let transaction = try file.beginWrite()
      for number in 0..<5000 {
        try transaction.insert(
          "Harbor", object: ["code": .text("\(number)"), "site": Boats.point(2, 2)])
      }
      try transaction.flushPendingIndexEntries()
      kill(getpid(), SIGKILL)
    }

    let file = try OpenStores.store(at: path)
    #expect(try file.snapshot().rowCount("Harbor") == 1)
    #expect(try file.snapshot().object("Harbor", 1)?["code"] == .text("kept"))
    #expect(try file.snapshot().spatialProblems() == [])
    #expect(try add(["code": .text("next")], to: "Harbor", file) == ObjectKey(2))
  }
}

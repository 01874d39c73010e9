import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

@Suite struct RandomShapefileTests {
  @Test func `random shapefiles are read back`() throws {
    let folder = try ScratchFolder()
    let seed = UInt64.random(in: 0...UInt64.max)
    var numbers = SeededGenerator(seed: seed)
    for round in 0..<300 {
      let file = RandomShapefile(using: &numbers)
      let path = try folder.file("t.shp", file.shapes)
      _ = try folder.file("t.dbf", file.table)

      let reading = try TypedReading(ShapefileReader(path: path))

      #expect(
        reading.rows == file.expected && reading.rowErrors == [], "seed \(seed), round \(round)")
    }
  }

  @Test func `random corruption never crashes the reader`() throws {
    let folder = try ScratchFolder()
    let seed = UInt64.random(in: 0...UInt64.max)
    var numbers = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var file = RandomShapefile(using: &numbers)
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        file.shapes[.random(in: 24..<file.shapes.count, using: &numbers)] =
          .random(in: 0...255, using: &numbers)
        file.table[.random(in: 1..<file.table.count, using: &numbers)] =
          .random(in: 0...255, using: &numbers)
      }
      let path = try folder.file("t.shp", file.shapes)
      _ = try folder.file("t.dbf", file.table)
      let reading = try? TypedReading(ShapefileReader(path: path))
      #expect((reading?.rows.count ?? 0) <= 20, "seed \(seed)")
    }
  }
}

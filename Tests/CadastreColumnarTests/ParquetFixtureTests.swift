import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreColumnar

/// Files of pyarrow, DuckDB, geopandas and others, value by value.
@Suite struct ParquetFixtureTests {
  @Test(arguments: Fixture.all("parquet"))
  func `every value is read`(_ fixture: Fixture) throws {
    let content = try ParquetContent(try fixture.bytes())
    let expected = try fixture.expected()
    #expect(content.file.metadata.rowCount == expected["num_rows"] as? Int)
    let columns = try #require(expected["columns"] as? [String: [Any]])
    #expect(Set(columns.keys) == Set(content.file.columns.roots.map(\.name)))
    for (root, values) in zip(content.file.columns.roots, content.columns) {
      let expected = try #require(columns[root.name])
      #expect(values.count == expected.count, "\(root.name)")
      for (row, (value, expected)) in zip(values, expected).enumerated()
      where !ExpectedValue.matches(value, expected, root) {
        Issue.record("\(root.name), row \(row): found \(value), expected \(expected)")
      }
    }
  }

  @Test(arguments: Fixture.all("parquet"))
  func `levels and statistics are those of the file`(_ fixture: Fixture) throws {
    let file = try ParquetFile(ColumnarFile(bytes: try fixture.bytes()))
    let expected = try fixture.expected()
    let leaves = try #require(expected["leaves"] as? [[String: Any]])
    #expect(leaves.count == file.columns.leaves.count)
    for (leaf, expected) in zip(file.columns.leaves, leaves) {
      #expect(leaf.path == expected["path"] as? [String])
      #expect(leaf.maximumDefinition == expected["max_def"] as? Int)
      #expect(leaf.maximumRepetition == expected["max_rep"] as? Int)
    }
    let groups = try #require(expected["row_groups"] as? [[String: Any]])
    #expect(groups.count == file.metadata.rowGroups.count)
    for (group, expected) in zip(file.metadata.rowGroups, groups) {
      #expect(group.rowCount == expected["num_rows"] as? Int)
      let columns = try #require(expected["columns"] as? [[String: Any]])
      for (chunk, expected) in zip(group.chunks, columns) {
        #expect(chunk.statistics?.nullCount == expected["null_count"] as? Int)
      }
    }
  }

  @Test(arguments: Fixture.all("parquet"))
  func `a truncated file is an error`(_ fixture: Fixture) throws {
    let bytes = try fixture.bytes()
    let step = max(bytes.count / 200, 1)
    for count in stride(from: 0, to: bytes.count, by: step) {
      #expect(throws: ColumnarError.self) { try ParquetContent(Array(bytes[..<count])) }
    }
  }

  @Test(arguments: Fixture.all("parquet"))
  func `a changed file is read or is an error`(_ fixture: Fixture) throws {
    let bytes = try fixture.bytes()
    var generator = SeededGenerator(seed: UInt64(bytes.count))
    for _ in 0..<150 {
      var changed = bytes
      for _ in 0..<(1 + generator.below(4)) { generator.damage(&changed) }
      do throws(ColumnarError) {
        _ = try ParquetContent(changed)
      } catch {
        #expect(!error.description.isEmpty)
      }
      do throws(ColumnarError) {
        let reader = try ParquetReader(ColumnarFile(bytes: changed))
        var record = ColumnarRecord()
        var count = 0
        while count < 10_000, try reader.next(&record) { count += 1 }
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }
}

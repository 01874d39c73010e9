import CadastreDatasets
import CadastreModel
import CadastreStore
import Foundation
import Testing

/// The contents of a store as text.
enum StoreDump {
  /// All classes and objects of a store, as text.
  static func contents(_ store: String) throws -> [String] {
    let snapshot = try OpenStores.readableStore(at: store).snapshot()
    let problems = try StoreCheck(snapshot).problems()
    #expect(problems.isEmpty, "\(problems)")
    var lines: [String] = []
    let schemas = snapshot.catalogue.schema.objectSchema
      .sorted { $0.className < $1.className }
    for schema in schemas {
      lines.append(schema.summary)
      guard !schema.isEmbedded else { continue }
      let format = try #require(FormatDescriptor.all.first { $0.name == "geojsonseq" })
      var export = ObjectExport(try StoreQuery(snapshot, className: schema.className), format)
      export.keys = try snapshot.keys(
        try #require(snapshot.catalogue.layout(schema.className)), after: ObjectKey(0), limit: .max
      ).map(\.rawValue)
      var bytes: [UInt8] = []
      _ = try export.write(to: .stream { bytes += $0 })
      lines += String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        .sorted()
    }
    // Mixed values name the keys of rows, which are not those of before.
    return try lines.map { line in
      try line.replacing(/{"#class":"(\w+)","#key":(\d+)}/) { match in
        let layout = try #require(snapshot.catalogue.layout(String(match.1)))
        let column = try #require(layout.schema.primaryKeyProperty.flatMap(layout.column))
        let key = ObjectKey(try #require(Int64(match.2)))
        return "\(match.1) \(String(describing: try snapshot.value(layout, key, column)))"
      }
    }
  }

  /// The lines that only one of two texts has.
  static func difference(_ found: [String], _ expected: [String]) -> String {
    let (first, second) = (Set(found), Set(expected))
    return
      (first.subtracting(second).sorted().prefix(2).map { "+ \($0)" }
      + second.subtracting(first).sorted().prefix(2).map { "- \($0)" }).joined(separator: " ⏎ ")
  }
}

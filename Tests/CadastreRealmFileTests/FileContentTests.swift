import CadastreModel
import CadastreRealmFile
import RealmFileTestSupport
import Testing

struct FileContentTests {
  @Test(
    "every table, column, object and value equals the expected content", arguments: RealmFixture.all
  )
  func values(_ fixture: RealmFixture) throws {
    let content = try fixture.expectedContent()
    try fixture.withFile { path in
      let file = try RealmFile(path: path, key: fixture.key)
      #expect(file.damagedTables.isEmpty)
      #expect(file.schemaVersion == content.schemaVersion)
      #expect(file.tables.map(\.name) == content.tables.map(\.name))
      let pass = try file.pass()
      for (table, expected) in zip(file.tables, content.tables) {
        try compare(table, expected)
        try compare(file.objects(of: table), expected, pass)
      }
    }
  }

  private func compare(_ table: RealmFileTable, _ expected: ExpectedContent.Table) throws {
    let kinds = [
      "top": RealmFileTable.Kind.topLevel, "embedded": .embedded, "asymmetric": .asymmetric,
    ]
    #expect(table.kind == kinds[expected.kind])
    #expect(table.primaryKey.map { table.columns[$0].name } == expected.primaryKey)
    try #require(table.columns.count == expected.columns.count)
    for column in table.columns {
      let other = try #require(expected.columns.first { $0.name == column.name })
      #expect(column.type == other.type)
      #expect(column.isNullable == other.isNullable)
      #expect(column.collection == other.collection)
      #expect(column.target == other.target)
      #expect(column.isIndexed == other.isIndexed)
      #expect(column.isFullTextIndexed == other.isFullTextIndexed)
    }
  }

  private func compare(
    _ objects: RealmFileObjects, _ expected: ExpectedContent.Table, _ pass: RealmFilePass
  ) throws {
    try #require(objects.count == expected.objects.count)
    let columns = try objects.table.columns.map { column in
      try #require(expected.columns.firstIndex { $0.name == column.name })
    }
    var differences: [String] = []
    for index in 0..<objects.clusterCount {
      let cluster = try objects.cluster(index)
      for row in 0..<cluster.count {
        let object = expected.objects[cluster.start + row]
        let key = try cluster.key(row)
        if key != object.key { differences.append("key \(key), expected \(object.key)") }
        #expect(try objects.position(of: object.key) == cluster.start + row)
        for (column, other) in columns.enumerated() {
          let value = try cluster.value(row, column, pass)
          guard value != object.values[other] else { continue }
          differences.append(
            "\(expected.name) \(key) \(expected.columns[other].name): \(value), expected "
              + "\(object.values[other])")
        }
      }
    }
    #expect(differences.isEmpty, "\(differences.count): \(differences.prefix(3))")
  }

  @Test("backlinks equal the links that they repeat", arguments: RealmFixture.all)
  func backlinks(_ fixture: RealmFixture) throws {
    try fixture.withFile { path in
      let reports = try RealmFile(path: path, key: fixture.key).backlinkReports()
      for report in reports { #expect(report.isConsistent, "\(report)") }
      if fixture.name == "links" { #expect(reports.map(\.links).reduce(0, +) > 100) }
    }
  }
}

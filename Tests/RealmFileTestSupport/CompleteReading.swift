package import CadastreRealmFile

/// The result of reading all values of a file.
package struct CompleteReading {
  /// The number of objects that were read.
  package private(set) var objects = 0
  /// The number of values that were read.
  package private(set) var values = 0
  /// The tables, columns and values that could not be read.
  package private(set) var damage: [RealmFileError] = []

  /// Reads all values of a file, and continues after each damaged one.
  ///
  /// - Throws: `RealmFileError` if the file cannot be opened.
  package init(path: String, key: [UInt8]? = nil) throws(RealmFileError) {
    let file = try RealmFile(path: path, key: key)
    damage = file.damagedTables.map(\.error)
    let pass = try file.pass()
    for table in file.tables {
      do throws(RealmFileError) {
        try read(file.objects(of: table), pass)
      } catch {
        damage.append(error)
      }
    }
  }

  private mutating func read(
    _ content: RealmFileObjects, _ pass: RealmFilePass
  ) throws(RealmFileError) {
    for index in 0..<content.clusterCount {
      let cluster = try content.cluster(index)
      for row in 0..<cluster.count {
        objects += 1
        for column in content.table.columns.indices {
          do throws(RealmFileError) {
            _ = try cluster.value(row, column, pass)
            values += 1
          } catch {
            damage.append(error)
          }
        }
      }
    }
  }
}

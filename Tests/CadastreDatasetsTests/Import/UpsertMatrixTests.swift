import CadastreModel
import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

/// An upsert changes the cells that its file names, and no others: formats, kinds of geometries, columns in the file,
/// `--alter` and `--columns`.
@Suite struct UpsertMatrixTests {
  enum Kind: String, CaseIterable { case none, point, line, polygon, mixed }
  enum Format: String, CaseIterable {
    case csv, ndjson, geojson, geojsonl, gpkg, parquet, fgb, kml
  }

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

  // MARK: Files

  private static func geometry(_ kind: Kind, _ row: Int, x: Double) -> String? {
    switch kind {
    case .none: nil
    case .point: #"{"type":"Point","coordinates":[\#(x),2.25]}"#
    case .line: #"{"type":"LineString","coordinates":[[0,0],[\#(x),2.5]]}"#
    case .polygon: #"{"type":"Polygon","coordinates":[[[0,0],[\#(x),0],[\#(x),2],[0,0]]]}"#
    case .mixed: geometry([.point, .line, .polygon][row % 3], row, x: x)
    }
  }

  /// Returns a record: a Feature if it has a geometry, or if all are Features.
  private static func record(_ fields: String, _ geometry: String?, isFeature: Bool) -> String {
    guard isFeature || geometry != nil else { return "{\(fields)}" }
    let member = geometry.map { #","geometry":\#($0)"# } ?? ""
    return #"{"type":"Feature","properties":{\#(fields)}\#(member)}"#
  }

  /// Imports the stored objects, with the keys 1 to 3, into a store.
  private func fill(_ store: String, _ kind: Kind) throws {
    let fields = [
      #""n":10,"note":"the old bridge","x":-0.0,"tags":["a"],"address":{"zip":5,"city":"x"}"#,
      #""n":20,"note":null,"x":0.1,"tags":[],"address":null"#,
      #""n":30,"note":"a tower","x":1e300,"tags":["b","c"],"address":{"zip":6,"city":"y"}"#,
    ]
    let lines = fields.enumerated().map { row, fields in
      let geometry = Self.geometry(kind, row, x: Double(row) + 1.5)?
        .replacing(",2.25]}", with: ",2.25,\(row).5]}")
      return Self.record(#""id":\#(row + 1),\#(fields),"name":"old""#, geometry, isFeature: false)
    }
    var settings = ImportSettings(
      files: [try folder.file("old.geojsonl", lines.joined(separator: "\n"))], store: path(store),
      className: "P")
    settings.primaryKey = "id"
    settings.indexes = ["n"]
    settings.types = "n=int?,name=string?,x=double?"
    _ = try Importer(settings).run()
    // The text gets an index of its words.
    let transaction = try OpenStores.store(at: path(store)).beginWrite()
    let stored = try #require(transaction.catalogue.layout("P")?.schema)
    let properties = stored.properties.map { property in
      Property(
        name: property.name, type: property.type, isOptional: property.isOptional,
        isPrimaryKey: property.isPrimaryKey, isIndexed: property.isIndexed,
        isFullTextIndexed: property.name == "note", collection: property.collection,
        objectClassName: property.objectClassName)
    }
    try transaction.adopt(Schema([ObjectSchema(className: "P", properties: properties)]))
    try transaction.commit()
  }

  /// Writes the records of an upsert, with the keys 1, 3 and 9, as a file.
  ///
  /// - Returns: The file, and a store with its records, which GeoJSON gave.
  private func file(
    _ format: Format, _ kind: Kind, hasGeometry: Bool, hasName: Bool
  ) throws -> (file: String, store: String) {
    let records = [(1, "77"), (3, "null"), (9, "5")].enumerated().map { row, cells in
      let fields = #""id":\#(cells.0),"n":\#(cells.1)"# + (hasName ? #","name":"new""# : "")
      let geometry = hasGeometry ? Self.geometry(kind, row + 1, x: Double(row) - 3.5) : nil
      return Self.record(fields, geometry, isFeature: format == .geojson || format == .geojsonl)
    }
    let name = "new-\(UUID().uuidString)"
    let lines = try folder.file(name + ".geojsonl", records.joined(separator: "\n"))
    var settings = ImportSettings(files: [lines], store: path(name), className: "P")
    settings.primaryKey = "id"
    _ = try Importer(settings).run()
    switch format {
    case .geojsonl, .ndjson: return (lines, name)
    case .geojson:
      let text = records.joined(separator: ",")
      let document = #"{"type":"FeatureCollection","features":[\#(text)]}"#
      return (try folder.file(name + ".geojson", document), name)
    case .csv, .gpkg, .parquet, .fgb, .kml:
      let query = try StoreQuery(store: path(name), className: "P", predicate: nil)
      let file = path("\(name).\(format.rawValue)")
      var export = ObjectExport(query, try #require(FormatDescriptor.writable(byFile: file)))
      export.keys = try query.keys()
      _ = try export.write(to: .file(OutputFile(path: file, OutputRules(replacing: .none))))
      return (file, name)
    }
  }

  // MARK: Cells

  /// Returns the cells of the table by primary key and column, as SQL literals, and the elements of the list.
  private func cells(_ store: String) throws -> (rows: [Int64: [String: String]], tags: [String]) {
    let connection = try Connection(path: path(store), mode: .read)
    var columns: [String] = []
    let info = try connection.statement(#"PRAGMA table_info("P")"#)
    while try info.step() { columns.append(info.text(1)) }
    let list = columns.map { #"quote("\#($0)")"# }.joined(separator: ", ")
    let statement = try connection.statement(#"SELECT id, \#(list) FROM "P""#)
    var rows: [Int64: [String: String]] = [:]
    while try statement.step() {
      let texts = columns.indices.map { statement.text($0 + 1) }
      rows[statement.integer(0)] = Dictionary(uniqueKeysWithValues: zip(columns, texts))
    }
    var tags: [String] = []
    let table = "SELECT count(*) FROM sqlite_schema WHERE name = 'P.tags'"
    if try connection.integer(table) == 1 {
      let elements = try connection.statement(
        #"SELECT owner || ' ' || position || ' ' || quote(value) FROM "P.tags" ORDER BY 1"#)
      while try elements.step() { tags.append(elements.text(0)) }
    }
    return (rows, tags)
  }

  // MARK: Matrix

  @Test(arguments: Format.allCases, Kind.allCases)
  func `an upsert changes the cells that its file names and no others`(
    format: Format, kind: Kind
  ) throws {
    for hasGeometry in kind == .none ? [false] : [false, true] {
      // NDJSON of plain objects has no geometries, and FlatGeobuf always has some.
      if format == .ndjson && hasGeometry || format == .fgb && !hasGeometry { continue }
      for hasName in [false, true] {
        let (file, source) = try file(format, kind, hasGeometry: hasGeometry, hasName: hasName)
        for altersClass in [false, true] {
          let store = UUID().uuidString
          try fill(store, kind)
          var settings = ImportSettings(files: [file], store: path(store), className: "P")
          settings.keyPolicy = .update
          settings.altersClass = altersClass
          // The file has a column that is not selected: the name, or the key of a GeoPackage.
          if hasName || format == .gpkg {
            let isTable = format == .csv && kind == .point
            let places = isTable ? ["longitude", "latitude"] : ["geometry"]
            settings.columns = ["id", "n"] + (hasGeometry ? places : [])
          }
          try expectUpsert(
            settings, store, source, format, hasGeometry: hasGeometry,
            "geometry: \(hasGeometry), columns: \(hasName), alter: \(altersClass)")
        }
      }
    }
  }

  private func expectUpsert(
    _ settings: ImportSettings, _ store: String, _ source: String, _ format: Format,
    hasGeometry: Bool, _ variant: Comment
  ) throws {
    let (before, tags) = try cells(store)
    let new = try cells(source).rows
    // KML has no null: the element is missing.
    let namesNull = format != .kml
    let first = try Importer(settings).run()
    let (after, newTags) = try cells(store)

    #expect(first.inserted == 1, variant)
    #expect(first.updated == (namesNull || hasGeometry ? 2 : 1), variant)
    #expect(first.alterations.isEmpty, variant)
    #expect(Set(after.keys) == [1, 2, 3, 9], variant)
    for (key, row) in after {
      for (column, cell) in row {
        let isPlace = column.hasPrefix("location.") || column == "geometry"
        // A table has no altitudes.
        let isKept = format == .csv && column == "location.altitude"
        let namesPlace = hasGeometry && isPlace && !isKept
        let isNamed = column == "n" && (namesNull || key != 3) || namesPlace
        let expected =
          switch (before[key], new[key]?[column]) {
          case (let stored?, let new): isNamed && key != 2 ? new : stored[column]
          case (nil, let new): isNamed || column == "id" ? new : nil
          }
        // The number that marks a point, and the cells that a new object lacks.
        guard column != "location" || !hasGeometry, let expected else { continue }
        #expect(cell == expected, "\(key) \(column), \(variant)")
      }
    }
    #expect(newTags == tags, variant)
    let again = try Importer(settings).run()
    #expect((again.inserted, again.updated, again.unchanged) == (0, 0, 3), variant)
    #expect(try cells(store).rows == after, variant)
    let snapshot = try OpenStores.store(at: path(store)).snapshot()
    #expect(try StoreCheck(snapshot).problems().isEmpty, variant)
  }

  // MARK: Geometries

  @Test(arguments: Format.allCases.filter { $0 != .ndjson }, Kind.allCases.filter { $0 != .none })
  func `a class takes the points of a file, whatever shapes it has`(
    format: Format, kind: Kind
  ) throws {
    try fill("s", .mixed)
    let (file, source) = try file(format, kind, hasGeometry: true, hasName: false)
    var settings = ImportSettings(files: [file], store: path("s"), className: "P")
    settings.keyPolicy = .update
    if format == .gpkg { settings.columns = ["id", "n", "geometry"] }
    #expect(try Importer(settings).run().updated == 2)

    let (stored, new) = (try cells("s").rows, try cells(source).rows)
    for key in [1, 3, 9] as [Int64] {
      let row = try #require(new[key])
      if let shape = row["geometry"] {
        #expect(stored[key]?["geometry"] == shape)
      } else {
        #expect(stored[key]?["geometry"]?.hasPrefix("X'") == true)
      }
    }
    let snapshot = try OpenStores.store(at: path("s")).snapshot()
    #expect(try StoreCheck(snapshot).problems().isEmpty)
    #expect(snapshot.catalogue.layout("P")?.schema["location"] == nil)
  }
}

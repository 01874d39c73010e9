import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Values of every type in every kind of collection are read exactly as they were written.
@Suite struct EveryKindTests {
  @Test(arguments: Seeds.usual(1...6))
  func `random objects survive closing the file`(seed: UInt64) throws {
    var values = RandomValues(seed: seed)
    let folder = try TestFolder()
    let path = folder.file("every.cadastre")
    var rows: [ObjectKey: [Value]] = [:]
    var models: [ObjectKey: [String: CollectionModel]] = [:]
    try {
      let file = try OpenStores.store(at: path)
      try file.prepare(for: EveryKind.schema)
      let transaction = try file.beginWrite()
      let targets = try (0..<3).map { _ in
        try transaction.insert("Target", object: ["label": .text(values.text())])
      }
      let layout = try transaction.layout("Thing")
      for _ in 0..<5 {
        var row = layout.columns.map { column -> Value in
          column.type == .object || values.random.oneIn(6) ? .null : values.value(column.type)
        }
        for collection in layout.collections { row[collection.countColumn] = .int(0) }
        for (index, column) in layout.columns.enumerated() {
          if column.name == "link" { row[index] = .link(values.random.pick(targets)) }
          if column.name == "mixed", values.random.oneIn(3) {
            row[index] = .object(
              ObjectAddress(className: "Target", key: values.random.pick(targets)))
          }
        }
        let key = try transaction.insert("Thing", row)
        for collection in layout.collections where !collection.isOwning {
          var model = CollectionModel(kind: collection.kind)
          for _ in 0..<values.random.below(9) {
            var value: Value =
              values.random.oneIn(6) && collection.target == nil
              ? .null : values.value(collection.element.type)
            if collection.target != nil { value = .link(values.random.pick(targets)) }
            switch collection.kind {
            case .list:
              model.elements.append(value)
              try transaction.insert(
                [value], at: model.elements.count - 1, into: collection, of: key)
            case .set:
              if value.depth > 0 { continue }
              #expect(
                try transaction.insert(value, into: collection, of: key) == model.insert(value))
            case .map:
              let name = values.key()
              model.set(value, forKey: name)
              try transaction.set(value, forKey: name, in: collection, of: key)
            }
          }
          models[key, default: [:]]["\(collection.path)"] = model
          row[collection.countColumn] = .int(Int64(model.elements.count))
        }
        rows[key] = row
      }
      try transaction.commit()
    }()

    let snapshot = try OpenStores.store(at: path, mustExist: true).snapshot()

    let layout = try snapshot.layout("Thing")
    for (key, row) in rows {
      let found = try #require(try snapshot.row(layout, key))
      for (index, column) in layout.columns.enumerated() {
        #expect(found[index] == row[index], "seed \(seed): \(column.name)")
      }
      for (name, model) in models[key] ?? [:] {
        let collection = try snapshot.collection("Thing", name)
        #expect(try snapshot.model(collection, key) == model, "seed \(seed): \(name)")
      }
    }
    let problems = try StoreCheck(snapshot).problems()
    #expect(problems == [], "seed \(seed)")
  }

  // A value with a date, an object or a link in the hundredth level was read as null.
  @Test(arguments: [98, 99, 100]) func `every type survives in deep nesting`(levels: Int) throws {
    var values = RandomValues(seed: 1)
    for type in EveryKind.types {
      let leaf =
        type == .any
        ? .object(ObjectAddress(className: "Target", key: ObjectKey(1))) : values.value(type)
      var value = leaf
      for level in 0..<levels {
        value = level % 2 == 0 ? .list([value]) : .map(ValueMap([("k", value)]))
      }
      #expect(NestedText.value(NestedText.text(value)) == value, "\(type)")
    }
  }

  @Test(arguments: Seeds.usual(1...3)) func `nested values survive as text`(seed: UInt64) {
    var values = RandomValues(seed: seed)
    for _ in 0..<500 {
      let value = values.value(.any, levels: 6)
      #expect(NestedText.value(NestedText.text(value)) == value, "seed \(seed)")
    }
  }

  @Test func `invalid text is refused`() {
    let texts = [
      "", "[", "{\"a\":", "[1,]", "{\"$date\": [1]}", "{\"$uuid\": 3}", "\"\\ud800\"", "nul",
      "[1] 2",
      String(repeating: "[", count: 100_000), String(repeating: "{\"$date\":", count: 100_000),
    ]
    for text in texts { #expect(NestedText.value(text) == nil, "\(text.prefix(20))") }
  }

  // A link to an object of the class `id` was read as null: its stored type was that of an object id.
  @Test func `links to a class with the name of a type survive`() throws {
    let names = ["id", "list", "map", "int", "object", "link x"]
    let classes = names.map {
      ObjectSchema(className: $0, properties: [Property(name: "any", type: .any)])
    }
    let file = try TestStore.temporary(Schema(classes))
    let transaction = try file.beginWrite()
    for name in names {
      let link = Value.object(ObjectAddress(className: name, key: ObjectKey(1)))
      let key = try transaction.insert(name, [link])
      #expect(try transaction.row(transaction.layout(name), key) == [link])
    }
    try transaction.delete("id", ObjectKey(1))
    #expect(try transaction.row(transaction.layout("list"), ObjectKey(1))?[0].isNull == false)
    try transaction.commit()
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  // Each opening of a store whose classes have linking objects rewrote its catalogue.
  @Test func `computed properties do not change the schema`() throws {
    let linked = ObjectSchema(
      className: "Target",
      properties: [Property(name: "label", type: .string)],
      computedProperties: [
        Property(
          name: "things", type: .linkingObjects, objectClassName: "Thing",
          linkOriginPropertyName: "link")
      ])
    let schema = Schema(
      [linked] + EveryKind.schema.objectSchema.filter { $0.className != "Target" })
    let file = try TestStore.temporary(schema)
    let version = try file.snapshot().version

    try file.prepare(for: schema)

    #expect(try file.snapshot().version == version)
  }
}

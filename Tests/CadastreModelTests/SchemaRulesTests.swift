import Testing

@testable import CadastreModel

@Suite struct SchemaRulesTests {
  private static let spot = ObjectSchema(
    className: "Spot",
    properties: [
      Property(name: "type", type: .string),
      Property(name: "coordinates", type: .double, collection: .list),
    ], isEmbedded: true)

  private func errors(
    _ name: String = "A", _ properties: Property..., isEmbedded: Bool = false
  ) -> [String] {
    let schema = ObjectSchema(className: name, properties: properties, isEmbedded: isEmbedded)
    return SchemaRules.errors(of: Schema([Self.spot, schema]))
  }

  @Test func `a valid schema has no errors`() {
    #expect(
      errors(
        "A", Property(name: "id", type: .UUID, isOptional: true, isPrimaryKey: true),
        Property(name: "größe", type: .double, isIndexed: true),
        Property(name: "location", type: .object, isOptional: true, objectClassName: "Spot"),
        Property(name: "next", type: .object, isOptional: true, objectClassName: "A")
      ).isEmpty)
  }

  @Test func `names have a limited length`() {
    #expect(
      errors("", Property(name: "a", type: .int)) == ["Class name '' must have 1 to 57 bytes."])
    #expect(errors(String(repeating: "x", count: 57), Property(name: "a", type: .int)).isEmpty)
    #expect(errors(String(repeating: "x", count: 58), Property(name: "a", type: .int)).count == 1)
    #expect(errors("A", Property(name: String(repeating: "é", count: 32), type: .int)).count == 1)
  }

  @Test(arguments: ["", "a.b", "a\nb", "#a", "a\0b"])
  func `property names have no characters of the path syntax`(name: String) {
    #expect(
      errors("A", Property(name: name, type: .int)) == [
        "Property name 'A.\(name)' must have 1 to 63 bytes, no full stop, no line break and no "
          + "leading '#'."
      ])
  }

  @Test(arguments: ["a.b", "a.\u{301}b", "#a", "a\0b", String(repeating: "x", count: 64)])
  func `column names follow the rules of property names`(column: String) {
    #expect(
      errors("A", Property(name: "a", columnName: column, type: .int)) == [
        "The column '\(column)' of property 'A.a' must have 1 to 63 bytes, no full stop, no line "
          + "break and no leading '#'."
      ])
  }

  @Test func `a column does not have the name of another property`() {
    let swapped = [
      Property(name: "a", columnName: "b", type: .int),
      Property(name: "b", columnName: "c", type: .int),
    ]
    #expect(
      errors("A", swapped[0], swapped[1]) == [
        "Property 'A.a' has the column 'b', which is the name of another property."
      ])
  }

  @Test func `a class has properties with distinct names`() {
    #expect(errors("A") == ["No properties are defined for 'A'."])
    #expect(
      errors("A", Property(name: "a", type: .int), Property(name: "a", columnName: "b", type: .int))
        == ["Property 'A.a' is declared more than once."])
    #expect(
      errors("A", Property(name: "a", type: .int), Property(name: "b", columnName: "a", type: .int))
        == ["Class 'A' has two properties with the column 'a'."])
  }

  @Test func `a class that is not embedded may have one primary key of a suitable type`() {
    #expect(
      errors(
        "A", Property(name: "a", type: .int, isPrimaryKey: true),
        Property(name: "b", type: .string, isPrimaryKey: true))
        == ["Class 'A' has more than one primary key: 'a' and 'b'."])
    #expect(
      errors("A", Property(name: "a", type: .int, isPrimaryKey: true), isEmbedded: true)
        == ["Embedded class 'A' cannot have the primary key 'a'."])
    #expect(
      errors("A", Property(name: "a", type: .double, isPrimaryKey: true))
        == ["Property 'A.a' of type 'double' cannot be a primary key."])
  }

  @Test func `a compound index has several different properties that can be indexed`() {
    func errors(_ indexes: [String]...) -> [String] {
      let properties = [
        Property(name: "a", type: .string), Property(name: "b", type: .date, isOptional: true),
        Property(name: "c", type: .double), Property(name: "data", type: .data),
        Property(name: "any", type: .any), Property(name: "list", type: .int, collection: .list),
      ]
      return SchemaRules.errors(
        of: Schema([
          ObjectSchema(className: "A", properties: properties, compoundIndexes: indexes)
        ]))
    }
    #expect(errors(["a", "b"], ["b", "a"], ["a", "b", "c"]).isEmpty)
    #expect(
      errors(["a"]) == [
        "The index of 'A' on (a) must have 2 to 32 properties; one property is indexed with "
          + "'indexed: true'."
      ])
    #expect(
      errors(["a", "b"], ["a", "b"]) == ["The index of 'A' on (a, b) is declared more than once."])
    #expect(
      errors(["a", "b", "a"]) == [
        "The index of 'A' on (a, b, a) names the property 'a' more than once."
      ])
    #expect(
      errors(["a", "x"]) == [
        "The index of 'A' on (a, x) names 'x', which is not a stored property of the class."
      ])
    for (name, type) in [("data", "data"), ("any", "mixed"), ("list", "list of int")] {
      #expect(
        errors(["a", name]) == [
          "The index of 'A' on (a, \(name)) cannot contain the property '\(name)' of type '\(type)'."
        ])
    }
  }

  @Test func `types without an order cannot be indexed`() {
    #expect(
      errors("A", Property(name: "a", type: .data, isIndexed: true))
        == ["Property 'A.a' of type 'data' cannot be indexed."])
    #expect(
      errors(
        "A",
        Property(
          name: "a", type: .object, isOptional: true, isIndexed: true, objectClassName: "Spot"))
        == ["Property 'A.a' of type 'Spot' cannot be indexed."])
  }

  @Test func `collections contain existing objects`() {
    #expect(errors("A", Property(name: "a", type: .double, collection: .list)) == [])
    #expect(errors("A", Property(name: "a", type: .any, collection: .map)) == [])
    #expect(
      errors(
        "A",
        Property(
          name: "a", type: .object, isOptional: true, collection: .list, objectClassName: "A"))
        == ["Property 'A.a': the objects in a list of A cannot be optional."])
    #expect(
      errors(
        "A",
        Property(
          name: "a", type: .object, isOptional: true, collection: .set, objectClassName: "A"))
        == ["Property 'A.a': the objects in a set of A cannot be optional."])
    #expect(
      errors("A", Property(name: "a", type: .object, collection: .map, objectClassName: "A"))
        == [
          "Property 'A.a': the values of a map of objects must be optional, since an object may be "
            + "deleted."
        ])
    #expect(
      errors("A", Property(name: "a", type: .object, collection: .set, objectClassName: "Spot"))
        == [
          "Property 'A.a': a set cannot hold embedded objects, which have no identity; use a list."
        ])
  }

  @Test func `links have a class and are optional`() {
    #expect(
      errors("A", Property(name: "a", type: .object, isOptional: true, objectClassName: "B"))
        == ["Property 'A.a' links to 'B', which is not in the schema."])
    #expect(
      errors("A", Property(name: "a", type: .object, objectClassName: "A"))
        == ["Object property 'A.a' must be marked as optional."])
  }

  @Test func `recursive embedded classes have tables of their own`() {
    let embedding = { (name: String, embedded: String) in
      ObjectSchema(
        className: name,
        properties: [
          Property(name: "inner", type: .object, isOptional: true, objectClassName: embedded)
        ], isEmbedded: true)
    }
    let schema = Schema([embedding("A", "B"), embedding("B", "A"), embedding("C", "A")])

    #expect(SchemaRules.errors(of: schema) == [])
    #expect(schema.embeddedClassesWithTable == ["A", "B"])
  }
}

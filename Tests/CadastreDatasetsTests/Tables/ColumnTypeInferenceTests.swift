import CadastreModel
import Testing

@testable import CadastreDatasets

@Suite struct ColumnTypeInferenceTests {
  let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  /// Returns the inferred field of a column with the given values.
  func infer(_ values: [String], null: String = "") throws -> DatasetField {
    let path = try folder.file("column.csv", "value\n" + values.map { $0 + "\n" }.joined())
    let reader = try CSVReader(path: path)
    var inference = ColumnTypeInference(header: reader.header, text: TextFields(nullTexts: [null]))
    var record = CSVRecord()
    while try reader.nextRecord(&record) { inference.observe(record) }
    return try #require(inference.fields.first)
  }

  @Test(arguments: [
    (["1", "-2", "0"], PropertyType.int), (["1", "2.5"], .double), (["1e3", ".5"], .double),
    (["1", "nan"], .double), (["nan", "nan"], .string), (["1", "x"], .string),
    (["yes", "No"], .bool), (["0", "1"], .int), (["true", "1"], .string),
    (["2026-11-21", "2026-11-21T08:47Z"], .date), (["2026-11-21", "1"], .string),
    (["0190163d-8694-739b-aea5-966c26f8ad91"], .UUID),
    (["00123"], .string), (["-01"], .string), (["0.5", "0"], .double), (["+49301234"], .string),
    (["9223372036854775807"], .int), (["9223372036854775808"], .string),
    (["9007199254740993", "0.5"], .string), (["12", "1.5", "00"], .string),
    (["1", " 3.5"], .double), (["1\t", "  -2 "], .int), ([" 2026-11-21"], .date),
    ([" yes", "no "], .bool), ([" "], .string), (["1", " 00123"], .string), (["1 2"], .string),
    (["0190163d-8694-739b-aea5-966c26f8ad91 "], .UUID),
  ])
  func `a column has the narrowest type that represents every value`(
    values: [String], type: PropertyType
  ) throws {
    let field = try infer(values)
    #expect(field.shape == .scalar(type))
    #expect(!field.isOptional)
    #expect(try infer(values.reversed()).shape == .scalar(type))
  }

  @Test func `nulls make a column optional and do not influence its type`() throws {
    let fields = [
      try infer(["1", "", "2"]), try infer(["", ""]), try infer([]),
      try infer(["1", "NA"], null: "NA"),
    ]
    #expect(
      fields.map(\.shape)
        == [.scalar(.int), .nothing(.string), .nothing(.string), .scalar(.int)])
    #expect(fields.map(\.isOptional) == [true, true, true, true])
    #expect(try infer(["1", ""], null: "NA").shape == .scalar(.string))
  }

  @Test(arguments: [
    (["1", "2"], "all 2 values are integers"),
    (["1", "2.5"], "all 2 values are numbers, the first with a fraction: line 3 has '2.5'"),
    (["1", "2", "n/a"], "not all values are integers: line 4 has 'n/a'"),
    (["2026-11-21", "soon"], "not all values are dates: line 3 has 'soon'"),
    (["a", "b"], "2 texts"), (["", ""], "there are no values"),
  ])
  func `the reason names the value that decided the type`(values: [String], reason: String) throws {
    #expect(try infer(values).reason == reason)
  }

  @Test func `declared types replace inferred ones`() throws {
    let fields = [
      DatasetField(name: "a", shape: .scalar(.string), isOptional: true),
      DatasetField(name: "b", shape: .scalar(.int), isOptional: false),
    ]

    let applied = try ColumnTypes("a=date, b = Double").applied(to: fields)

    #expect(applied.map(\.shape) == [.scalar(.date), .scalar(.double)])
    #expect(applied.map(\.isOptional) == [true, false])
    let optional = try ColumnTypes("a=int,b=double?").applied(to: fields)
    #expect(optional.map(\.shape) == [.scalar(.int), .scalar(.double)])
    #expect(optional.map(\.isOptional) == [true, true])
  }

  @Test(arguments: [
    ("a", "column types, 'a': expected column=type"),
    ("", "column types, '': expected column=type"),
    ("=int", "column types, '=int': expected column=type"),
    (
      "a=number",
      "column types, 'a=number': found type 'number'; "
        + "expected one of int, double, float, string, bool, date, uuid, object id, decimal128, "
        + "geometry, mixed"
    ),
    ("a=int,a=int", "column types, 'a=int': column 'a' occurs twice; expected it once"),
    ("c=int?", "column types, 'c=int?': there is no column 'c'; the header has a, b"),
    ("c=int", "column types, 'c=int': there is no column 'c'; the header has a, b"),
  ])
  func `an error in a list of types names what was expected`(text: String, sentence: String) {
    let fields = ["a", "b"].map {
      DatasetField(name: $0, shape: .scalar(.string), isOptional: false)
    }
    do {
      _ = try ColumnTypes(text).applied(to: fields)
      Issue.record("expected an error")
    } catch {
      #expect(error.description == sentence)
    }
  }
}

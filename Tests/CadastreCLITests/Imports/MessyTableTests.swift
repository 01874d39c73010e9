import Foundation
import Testing

/// Imports of tables as people export them.
@Suite struct MessyTableTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Imports a table and returns its objects as CSV, and the messages.
  private func imported(
    _ data: Data, _ options: [String]
  ) throws -> (csv: String, messages: String) {
    let store = scratch.path(UUID().uuidString)
    let file = try scratch.file("table.csv", data).path
    let outcome = try Program.run(["import", file, "--store", store, "--into", "T"] + options)
    #expect(outcome.status == 0, "\(outcome.stderr)")
    return (try succeed("query", store, "T", "--format", "csv").stdout, outcome.stderr)
  }

  private func csv(_ text: String, _ options: String...) throws -> String {
    try imported(Data(text.utf8), options).csv
  }

  private func refuse(_ text: String, _ options: String..., saying words: String...) throws {
    let outcome = try Program.run(
      ["import", try scratch.csv(text), "--store", scratch.path("none"), "--into", "T"] + options)
    expectSentence(outcome, words)
    #expect(!scratch.names.contains("none"))
  }

  @Test func `encodings`() throws {
    let text = "name,lat,lon\nMünchen,48.1,11.5\n"
    let expected = "name,longitude,latitude\nMünchen,11.5,48.1\n"
    let latin = try #require(text.data(using: .isoLatin1))

    #expect(try imported(latin, ["--encoding", "latin1"]).csv == expected)
    #expect(try imported(latin, ["--encoding", "windows-1252"]).csv == expected)
    #expect(try imported(try #require(text.data(using: .utf16)), []).csv == expected)
    let file = try scratch.file("latin.csv", latin).path
    try fail(
      "import", file, "--store", scratch.path("s"), "--into", "T",
      saying: "not valid UTF-8", "--encoding windows-1252")
    try refuse(text, "--encoding", "foo", saying: "'foo' is unknown", "windows-1252")
  }

  @Test func `delimiters, quotes, comments and lines before the header`() throws {
    let table = "Export of 2024\n\nid~name~v\n# a comment, with 'quotes\n1~|a~b|~2\n#\n2~c~3\n"
    #expect(
      try csv(
        table, "--delimiter", "~", "--quote", "|", "--comment", "#", "--skip-lines", "2")
        == "id,name,v\n1,a~b,2\n2,c,3\n")
    #expect(
      try csv("a,b\r\n\"1,2\r\n", "--quote", "none", "--no-header")
        == "column1,column2\na,b\n\"\"\"1\",2\n")
    #expect(
      try csv("x\r\n\r\na\tb\r\n1\t2\r\n", "--skip-lines", "2", "--delimiter", "tab")
        == "a,b\n1,2\n")
    try refuse("a,b\n1,2\n", "--delimiter", "ab", saying: "--delimiter", "'ab'")
    try refuse("a,b\n1,2\n", "--quote", "é", saying: "--quote", "one character")
    try refuse("a,b\n1,2\n", "--delimiter", ";", "--quote", ";", saying: "both ';'")
    try refuse("a,b\n1,2\n", "--skip-lines", "9", saying: "is empty")
  }

  @Test func `columns are selected and renamed, and get distinct names`() throws {
    let outcome = try imported(Data("id,name,,name\n1,a,x,b\n".utf8), [])
    #expect(outcome.csv == "id,name,column3,name_2\n1,a,x,b\n")
    for notice in [
      "note: column 3 has no name and becomes 'column3'\n",
      "note: column 4 is another 'name' and becomes 'name_2'\n", "--location LON,LAT",
    ] {
      #expect(outcome.messages.contains(notice))
    }
    #expect(
      try csv("a,b,c\n1,2,3\n", "--rename", "b=z", "--rename", "a=b", "--columns", "c, b")
        == "b,c\n1,3\n")
    let dotted = try imported(Data("a.b,c\n1,2\n".utf8), [])
    #expect(dotted.messages.contains("the field 'a.b' becomes the property 'a_b'"))
    try refuse("a,b\n1,2\n", "--rename", "x=y", saying: "no column 'x'")
    try refuse("a,b\n1,2\n", "--rename", "a=b", saying: "two columns", "'b'")
    try refuse("a,b\n1,2\n", "--rename", "a", saying: "expected old=new")
    try refuse("a,b\n1,2\n", "--columns", "a,q", saying: "no column 'q'")
  }

  @Test func `numbers, dates and names of other countries`() throws {
    let table = """
      Breitengrad;Längengrad;Einwohner (Tsd.);Datum
      48,1;11,5;1.488,2;24.12.2024
      53,5;10;1 841,2;01.02.2023
      47;8;-12.345.678,5;3.4.2022

      """
    #expect(
      try csv(
        table, "--decimal-comma", "--date-format", "%d.%m.%Y", "--rename",
        "Einwohner (Tsd.)=einwohner") == """
          einwohner,Datum,longitude,latitude
          1488.2,2024-12-24,11.5,48.1
          1841.2,2023-02-01,10,53.5
          -12345678.5,2022-04-03,8,47

          """)
    #expect(
      try csv("d\n5 Mar 99 07:08\n6 Dec 24 23:59\n", "--date-format", "%d %b %y %H:%M")
        == "d\n1999-03-05T07:08:00Z\n2024-12-06T23:59:00Z\n")
    #expect(try csv("n\n1.23,5\n", "--decimal-comma", "--delimiter", ";") == "n\n\"1.23,5\"\n")
    try refuse(
      "d\n31.02.2024\n", "--date-format", "%d.%m.%Y", "--types", "d=date",
      saying: "a date such as 2024-12-20", "--date-format")
    for form in ["%q", "%d.%m", "%d.%d.%m.%Y", "%"] {
      try refuse("d\n1\n", "--date-format", form, saying: "%d.%m.%Y")
    }
  }

  @Test func `coordinates with minutes, directions and in one column`() throws {
    let table = """
      name;lat;lon
      a;48°51′24″N;2°21′3″E
      b;22°54′S;43 12 W
      c;N 48.5;E2
      d;48d30m0sN;-2
      e;-48°30';2º

      """
    let rows = try csv(table).split(separator: "\n").dropFirst().map { row in
      row.split(separator: ",").dropFirst().compactMap { Double($0) }
    }
    let expected = [
      [2 + 21 / 60.0 + 3 / 3600.0, 48 + 51 / 60.0 + 24 / 3600.0], [-43.2, -22.9], [2, 48.5],
      [-2, 48.5], [2, -48.5],
    ]
    #expect(rows.count == expected.count)
    for (row, point) in zip(rows, expected) {
      #expect(abs(row[0] - point[0]) < 1e-9 && abs(row[1] - point[1]) < 1e-9, "\(row)")
    }
    for text in ["48°51′E", "48°61′N", "-48°N", "48,5", "95°", "48.5°30′N", "N48N"] {
      try refuse("name;lat;lon\na;\(text);2\n", saying: "latitude")
    }
    let pair = "name,geo_point_2d\na,\"48.85, 2.35\"\nb,\"(-22.9,-43.2)\"\nc,\n"
    #expect(try csv(pair) == "name,longitude,latitude\na,2.35,48.85\nb,-43.2,-22.9\nc,,\n")
    let named = "name,pos\na,\"48°30′N, 2°30′W\"\n"
    #expect(try csv(named, "--wkt", "pos") == "name,longitude,latitude\na,-2.5,48.5\n")
    try refuse("name,pos\na,\"95, 200\"\n", "--wkt", "pos", saying: "column 'pos'")
  }

  @Test func `coordinates of ISO 6709`() throws {
    func location(_ text: String) throws -> [Double] {
      try csv("p\n\(text)\n", "--wkt", "p", "--header").split(separator: "\n")[1]
        .split(separator: ",").compactMap { Double($0) }
    }
    let points: [(text: String, longitude: Double, latitude: Double)] = [
      ("+4230+00131", 1 + 31.0 / 60, 42.5),
      ("-720041+0023206", 2 + 1926.0 / 3600, -72 - 41.0 / 3600),
      ("+48.8577+002.295/", 2.295, 48.8577),
      ("-3350.5-15112.25+39.5CRSWGS_84/", -151 - 12.25 / 60, -33 - 50.5 / 60),
      ("+90-180", -180, 90),
    ]
    for point in points {
      let actual = try location(point.text)
      let difference = max(abs(actual[0] - point.longitude), abs(actual[1] - point.latitude))
      #expect(difference < 1e-9, "\(point.text): \(actual)")
    }
    for text in ["+4260+00131", "+91+000", "4230+00131", "+42+01", "+42.5.5+001", "+4230"] {
      try refuse("p\n\(text)\n", "--wkt", "p", "--header", saying: "column 'p'")
    }
  }

  @Test func `short rows are padded`() throws {
    let table = "a,b,c\n1,x,2.5\n2\n3,y\n"
    try refuse(table, saying: "line 3", "found 1 field; expected 3", "--pad-rows")
    #expect(try csv(table, "--pad-rows") == "a,b,c\n1,x,2.5\n2,,\n3,y,\n")
    try refuse(table + "4,5,6,7\n", "--pad-rows", saying: "line 5", "found 4 fields; expected 3")
    #expect(
      try csv("1\n2,x\n3,y,5\n", "--pad-rows", "--no-header")
        == "column1,column2,column3\n1,,\n2,x,\n3,y,5\n")
  }

  @Test func `a word for missing values is named`() throws {
    func notes(_ text: String, _ options: String...) throws -> [Substring] {
      try imported(Data(text.utf8), options).messages.split(separator: "\n")
        .filter { $0.contains("--null") }
    }
    let table = "i,d,t,s,u\n1,NA,2024-01-02,NA,NA\nNA,2.5,NA,AF,NA\n3,4,2024-01-03,x,NA\n"
    #expect(
      try notes(table) == [
        "note: the field 'i' is text because of 'NA' in 1 row; with --null 'NA' it is an int",
        "note: the field 'd' is text because of 'NA' in 1 row; with --null 'NA' it is a double",
        "note: the field 't' is text because of 'NA' in 1 row; with --null 'NA' it is a date",
      ])
    #expect(try csv(table) == table.replacing("-01-02", with: "-01-02"))
    #expect(try notes(table, "--null", "NA") == [])
    // Two words, and other text.
    #expect(
      try notes("a,b\n1,1\nNA,-\n-,x\n") == [
        "note: the field 'a' is text because of 'NA', '-' in 2 rows; with --null 'NA' --null '-' it is an int"
      ])
  }

  @Test func `records in a member of a JSON file`() throws {
    let wrapped = try scratch.file("w.json", #"{"n":1,"rows":[{"id":1},{"id":2}]}"#).path
    let store = scratch.path("w.cadastre")
    let detected = try succeed("import", wrapped, "--store", store, "--into", "A", "--pk", "id")
    #expect(detected.stderr.contains("the records are the elements of 'rows'; not imported: n."))
    try succeed("import", wrapped, "--store", store, "--into", "B", "--records", ".")
    try succeed("import", wrapped, "--store", store, "--into", "C", "--records", "rows")
    for (name, count) in [("A", 2), ("B", 1), ("C", 2)] {
      #expect(try succeed("query", store, name, "--format", "count").stdout == "\(count)\n")
    }
    try fail(
      "import", wrapped, "--store", store, "--into", "D", "--records", "a.b",
      saying: "found no member 'a.b'")
    try refuse("a\n1\n", "--records", "a", saying: "--records applies to JSON", "csv")
  }

  @Test func `options of tables apply to tables only`() throws {
    let file = try scratch.csv("{}\n", "a.ndjson")
    for options in [
      ["--encoding", "latin1"], ["--skip-lines", "1"], ["--header"],
    ] {
      let outcome = try Program.run(
        ["import", file, "--store", scratch.path("s"), "--into", "T"] + options)
      expectSentence(outcome, [options[0], "text tables"])
    }
  }
}

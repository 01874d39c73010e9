import Foundation
import Testing

/// What a message proposes where a user has written something else than meant.
@Suite struct AdviceTests {
  private let scratch: Scratch
  private let store: String

  init() throws {
    scratch = try Scratch()
    store = scratch.path("a.cadastre")
    try succeed(
      "import", try scratch.csv("Ship Mode,n\nA,1\nB,2\n"), "--store", store, "--into", "Order")
  }

  @Test func `text without quotes, names with blanks and predicates that the shell cuts`() throws {
    try fail("query", store, "Order", "n == Paris", saying: "text is in quotes: 'Paris'")
    try fail(
      "query", store, "Order", "Ship Mode == 'A'", saying: "in a name follows a backslash",
      #"Ship\ Mode"#)
    try fail("query", store, "Order", "n", saying: "one argument in quotes")
    try fail("query", store, "Order", "--limit", "-1", saying: "not be negative", status: 64)
    try fail("query", store, "Order", "n = 1 LIMIT 2", saying: "use the option --limit N")
    #expect(
      try succeed("query", store, "Order", #"Ship\ Mode == 'A'"#, "--format", "count").stdout
        == "1\n")
  }

  @Test func `names with marks, and words of SQL`() throws {
    let table = try scratch.csv("Größe [m²],name,lon,lat\n1,Ulm,10,48\n", "m.csv")
    try succeed("import", table, "--store", store, "--into", "M")
    for text in ["Größe [m²] > 0", #"Größe\ [m²] > 0"#] {
      try fail("query", store, "M", text, saying: #"Größe\ \[m²\]"#)
    }
    #expect(
      try succeed("query", store, "M", #"Größe\ \[m²\] > 0"#, "--format", "count").stdout
        == "1\n")
    for (text, words) in [
      ("name ILIKE 'u%'", "LIKE[c]"), ("name STARTSWITH 'U'", "BEGINSWITH"),
      ("name REGEXP 'U.*'", "MATCHES"), ("name ~ 'U.*'", "MATCHES"),
      ("UPPER(name) == 'ULM'", "==[c]"), ("ST_Within(location, $0)", "GEOWITHIN"),
      ("location WITHIN $0", "GEOWITHIN"),
    ] {
      try fail("query", store, "M", text, saying: words)
    }
  }

  @Test func `an order by a name with blanks`() throws {
    for order in ["'Ship Mode' desc", #"Ship\ Mode desc"#, #""Ship Mode" desc"#] {
      #expect(
        try succeed("query", store, "Order", "--sort", order, "--select", "n", "--format", "csv")
          .stdout
          == "n\n2\n1\n", "\(order)")
    }
    try fail(
      "query", store, "Order", "--sort", "Ship Mode", saying: "a name with blanks is in quotes")
  }

  @Test func `a speed is shown for what took a second`() throws {
    let outcome = try succeed(
      "import", try scratch.csv("n\n1\n", "b.csv"), "--store", store, "--into", "Other")
    #expect(!outcome.stderr.contains("rows/s"))
  }
}

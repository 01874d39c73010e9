import CadastreTestSupport
import Testing

@testable import CadastreFormatting

@Suite struct TableTextTests {
  let table = TableText(columns: [
    .init("icao"), .init("name"), .init("elevation", isNumeric: true),
  ])

  @Test func `cells are aligned in columns, numbers to the right`() {
    #expect(
      table.text([["EDDF", "Frankfurt", "364"], ["LFPG", "Paris", "-1"]]) == """
        icao  name       elevation
        ────  ─────────  ─────────
        EDDF  Frankfurt        364
        LFPG  Paris             -1

        """)
  }

  @Test func `the widest columns are truncated`() {
    let rows = [["EDDF", "Frankfurt am Main International Airport", "364"]]

    #expect(
      table.text(rows, width: 30) == """
        icao  name           elevation
        ────  ─────────────  ─────────
        EDDF  Frankfurt am…        364

        """)
  }

  @Test func `cells are cut to a width without a terminal`() {
    var short = table
    short.mostCellWidth = 9
    #expect(
      short.text([["EDDF", "Frankfurt am Main", "364"]]) == """
        icao  name       elevation
        ────  ─────────  ─────────
        EDDF  Frankfur…        364

        """)
  }

  @Test func `no line is wider than the terminal, with any cells`() {
    let seed: UInt64 = 11
    var numbers = SeededGenerator(seed: seed)
    let pieces = ["a", "漢", "é", "e\u{301}", "👩‍👩‍👧", "한", "\u{1B}[31m", "\n", "word "]
    for width in 9...60 {
      let rows = (0..<5).map { _ in
        (0..<3).map { _ in
          (0..<Int.random(in: 0...20, using: &numbers))
            .map { _ in pieces.randomElement(using: &numbers) ?? "" }.joined()
        }
      }
      let lines = table.text(rows, width: width).split(separator: "\n")
      // One more line if a column is omitted.
      #expect((7...8).contains(lines.count))
      for line in lines {
        #expect(DisplayWidth.columns(line) <= width, "seed \(seed), width \(width): \(line)")
      }
    }
  }

  @Test func `columns that do not fit are omitted before the last one and listed`() {
    let wide = TableText(columns: ["first", "second", "third", "fourth"].map { .init($0) })

    #expect(
      wide.text([["aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd"]], width: 24) == """
        first   second   fourth
        ──────  ───────  ───────
        aaaaa…  bbbbbb…  dddddd…
        (1 column not shown: th…

        """)
    #expect(TableText.shown([4, 30, 10], in: 20) == [0, 1, 2])
    #expect(TableText.shown([4, 30, 10], in: 19) == [0, 2])
    #expect(TableText.shown([9], in: 3) == [0])
  }

  @Test func `headings are bold and rules faint in a styled table`() {
    var styled = TableText(columns: [.init("a")])
    styled.isStyled = true

    #expect(styled.text([["b"]]) == "\u{1B}[1ma\u{1B}[0m\n\u{1B}[2m─\u{1B}[0m\nb\n")
  }

  @Test func `narrow columns get their wanted width and wide columns divide the rest`() {
    #expect(TableText.widths([4, 30, 10], of: 100) == [4, 30, 10])
    #expect(TableText.widths([4, 30, 10], of: 30) == [4, 16, 10])
    #expect(TableText.widths([40, 30, 4], of: 30) == [13, 13, 4])
    #expect(TableText.widths([9, 9], of: 0) == [1, 1])
  }

  @Test func `width is measured in columns, not characters`() {
    #expect(DisplayWidth.columns("Zürich") == 6)
    #expect(DisplayWidth.columns("e\u{301}") == 1)
    #expect(DisplayWidth.columns("東京") == 4)
    #expect(DisplayWidth.columns("👩‍👩‍👧") == 2)
    #expect(DisplayWidth.truncated("東京都", to: 4) == "東…")
    #expect(DisplayWidth.truncated("abc", to: 3) == "abc")
  }

  @Test func `control characters become visible`() {
    let text = printable("a\u{1B}[2J\r\n\t\u{7F}\u{9B}\u{202E}é")

    #expect(text == "a␛[2J␍␊␉␡\u{FFFD}\u{FFFD}é")
    #expect(TableText(columns: [.init("a\nb")]).text([["\u{1B}c"]]) == "a␊b\n───\n␛c\n")
  }

  @Test func `lines keep their line feeds only`() {
    #expect(printableLines("a\u{1B}[1m\n\tb\r\u{85}") == "a␛[1m\n␉b␍\u{FFFD}")
  }

  @Test(arguments: [
    ("no file 'postgres://bob:s3cret@h:1/db', or", "no file 'postgres://bob:***@h:1/db', or"),
    ("/x/POSTGRES:/bob:s3cret@h/db: missing", "/x/POSTGRES:/bob:***@h/db: missing"),
    ("'postgresql://bob:s3/cr e@t@h/x', a", "'postgresql://bob:***@h/x', a"),
    ("'postgresql://bob:it's3cret@h/x'", "'postgresql://bob:***@h/x'"),
    ("postgresql://:s3cret@h postgresql://bob:s3cret", "postgresql://:***@h postgresql://bob:***"),
    ("postgres://b:s\u{1B}3@h\n'", "postgres://b:***@h\n'"),
    ("postgresql://h/db?user=b&password=s3cret&x=1", "postgresql://h/db?user=b&password=***&x=1"),
    ("host=h PASSWORD = 's3 cret' dbname=x", "host=h PASSWORD = *** dbname=x"),
    ("sslpassword=s3cret", "sslpassword=***"),
    ("OPTIONS (user 'u', password 's3cret')", "OPTIONS (user 'u', password ***)"),
  ])
  func `passwords of connection strings are hidden`(text: String, expected: String) {
    #expect(printableMessage(text) == expected)
  }

  @Test(arguments: [
    "postgresql://me@localhost:5432/places", "postgresql://localhost:5432/db",
    "PostgreSQL: NOTICE: relation exists", "password == 'a'", "the password is wrong",
    "expected postgresql://me@localhost/places, found x@y", "http://h:1/a@b",
  ])
  func `other messages are unchanged`(text: String) { #expect(printableMessage(text) == text) }
}

/// Tables that are written row by row.
@Suite struct StreamedTableTests {
  let columns = TableText(columns: [.init("id", isNumeric: true), .init("name"), .init("town")])

  /// Writes rows, and returns the lines after each row and at the end.
  private func pieces(_ rows: [[String]], width: Int?) -> [String] {
    var table = StreamedTable(columns, width: width)
    return rows.map { table.append($0) } + [table.finish()]
  }

  private func rows(_ count: Int, _ random: inout SeededGenerator) -> [[String]] {
    (0..<count).map { number in
      [
        "\(number)",
        String(repeating: random.pick(["a", "漢", "é"]), count: random.below(20)),
        String(repeating: "t", count: random.below(5)),
      ]
    }
  }

  @Test(arguments: Seeds.usual(1...3))
  func `a table with few rows equals the table of all rows`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for count in [0, 1, 7, StreamedTable.sampleCount - 1, StreamedTable.sampleCount] {
      let rows = rows(count, &random)
      for width in [nil, 5, 12, 24, 80] {
        #expect(
          pieces(rows, width: width).joined() == columns.text(rows, width: width),
          "seed \(seed), \(count) rows, width \(width ?? 0)")
      }
    }
  }

  @Test func `no row is buffered after the sample, and each gives its line at once`() {
    var table = StreamedTable(columns, width: 80)
    for number in 1...3 * StreamedTable.sampleCount {
      let text = table.append(["\(number)", "a", "b"])
      #expect(table.bufferedRows == (number < StreamedTable.sampleCount ? number : 0))
      // The header has two lines.
      let lines =
        number < StreamedTable.sampleCount
        ? 0 : number == StreamedTable.sampleCount ? number + 2 : 1
      #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == lines)
    }
    #expect(table.finish() == "")
  }

  @Test func `a longer cell after the sample widens its line, or is cut if it does not fit`() {
    let sample = (0..<StreamedTable.sampleCount).map { ["\($0)", "abc", "xy"] }
    let later = [["1", "abcdefgh", "xy"], ["1234567", "abc", "xy"], ["2", "abc", "xy"]]
    func last(_ width: Int?) -> [String] {
      pieces(sample + later, width: width).dropLast().suffix(3).map { String($0) }
    }

    let widened = ["  1  abcdefgh  xy\n", "1234567  abc   xy\n", "  2  abc   xy\n"]
    #expect(last(nil) == widened && last(80) == widened && last(19) == widened)
    // The columns are as wide as the longest cells of the sample, 3, 4 and 4.
    for width in 15...18 {
      #expect(last(width) == ["  1  abc…  xy\n", "12…  abc   xy\n", "  2  abc   xy\n"])
    }
  }

  @Test func `the omitted columns of the sample stay omitted, and are named at the end`() {
    let wide = TableText(columns: ["first", "second", "third", "fourth"].map { .init($0) })
    var table = StreamedTable(wide, width: 24)
    for _ in 0..<StreamedTable.sampleCount {
      _ = table.append(["aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd"])
    }

    #expect(table.append(["a", "b", "c", "d"]) == "a       b        d\n")
    #expect(table.finish() == "(1 column not shown: th…\n")
  }
}

import Testing

@testable import CadastreFormatting

@Suite struct ProgressLineTests {
  @Test func `a line shows fraction, amount, rate and time left`() {
    let line = ProgressLine(bytes: 1_538_682, totalBytes: 3_077_365, rows: 14_149, seconds: 2)

    #expect(
      line.text(width: 80)
        == "[███████████░░░░░░░░░░░░░]   49 %  1.5 of 3.0 MB  7,074 rows/s  3 s left")
    #expect(line.text(width: 30) == " 49 %  1.5 of 3.0 MB")
    for width in 1...120 { #expect(DisplayWidth.columns(line.text(width: width)) <= width) }
  }

  @Test func `without a size there is no bar`() {
    let line = ProgressLine(bytes: 1_234_567, totalBytes: nil, rows: 10_000, seconds: 1)

    #expect(line.text() == "1.2 MB  10,000 rows/s")
  }

  @Test func `an empty file is complete and an ended one shows no time left`() {
    #expect(
      ProgressLine(bytes: 0, totalBytes: 100, rows: 0, seconds: 0).text(width: 60)
        == "[░░░░░░░░░░░░░░░░░░░░░░░░]    0 %  0 of 100 bytes")
    #expect(
      ProgressLine(bytes: 0, totalBytes: 0, rows: 0, seconds: 0).text(width: 40)
        .contains("100 %"))
    #expect(
      ProgressLine(bytes: 9, totalBytes: 9, rows: 1, seconds: 1).text(width: 40)
        .contains("left") == false)
  }

  @Test func `time left is rounded up`() {
    #expect(ProgressLine.duration(0.1) == "1 s")
    #expect(ProgressLine.duration(59.5) == "1 min 00 s")
    #expect(ProgressLine.duration(3_600) == "1 h 00 min")
  }

  @Test func `a throttle passes calls at its rate`() {
    var throttle = Throttle(perSecond: 10)

    let open = (0..<100).filter { throttle.isOpen(at: Double($0) / 64) }

    #expect(open == Array(stride(from: 0, to: 100, by: 7)))
  }
}

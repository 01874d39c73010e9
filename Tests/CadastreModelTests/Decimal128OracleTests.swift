import CadastreModel
import Foundation
import Testing

/// Comparison with the results of other libraries; `CADASTRE_DECIMAL_CASES` is the path of a file
/// with more cases.
@Suite struct Decimal128OracleTests {
  @Test(arguments: ["decimal128-intel.txt", "decimal128-python.txt"])
  func `results have the bits of other libraries' results`(name: String) throws {
    let file =
      ProcessInfo.processInfo.environment["CADASTRE_DECIMAL_CASES"].map { URL(filePath: $0) }
      ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name)")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let cases = lines.filter { !$0.hasPrefix("#") }
    let failures = cases.compactMap(DecimalCases.failure)

    #expect(cases.count >= 600)
    #expect(failures.isEmpty, "\(failures.count) of \(cases.count), first \(failures.prefix(3))")
  }
}

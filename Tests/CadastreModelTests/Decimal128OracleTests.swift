import CadastreModel
import Foundation
import Testing

/// Other libraries' results, bit for bit; `CADASTRE_DECIMAL_CASES` names a file of more cases.
@Suite struct Decimal128OracleTests {
  @Test(arguments: ["decimal128-intel.txt", "decimal128-python.txt"])
  func `results are those of other libraries`(name: String) throws {
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

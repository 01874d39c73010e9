import CadastreRealmFile
import Foundation
import RealmFileTestSupport

/// Measures how fast all values of Realm files are read.
///
///     CADASTRE_DEVELOPMENT=1 swift run -c release RealmFileBenchmark large deep
///
/// The arguments are names of fixtures, or paths of files.
@main enum RealmFileBenchmark {
  /// The number of readings; the median is reported.
  private static let rounds = 11

  static func main() throws {
    for name in CommandLine.arguments.dropFirst() {
      if FileManager.default.fileExists(atPath: name) {
        try measure(name, name, nil)
      } else {
        let fixture = RealmFixture(name)
        try fixture.withFile { try measure(name, $0, fixture.key) }
      }
    }
  }

  private static func measure(_ name: String, _ path: String, _ key: [UInt8]?) throws {
    var seconds: [Double] = []
    var reading = try CompleteReading(path: path, key: key)
    for _ in 0..<rounds {
      let start = ContinuousClock().now
      reading = try CompleteReading(path: path, key: key)
      let elapsed = (ContinuousClock().now - start).components
      seconds.append(Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
    }
    let median = seconds.sorted()[rounds / 2]
    print(
      "\(name): \(reading.objects) objects, \(reading.values) values in "
        + "\((median * 1e5).rounded() / 1e2) ms, \(Int(Double(reading.objects) / median)) objects/s, "
        + "\(reading.damage.count) errors")
  }
}

import CadastreModel
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// The plans of the same queries over data of different sizes and distributions: operators, without estimates.
@Suite struct GoldenPlanTests {
  /// A data set whose plans are recorded.
  enum DataSet: String, CaseIterable {
    /// 40 boats.
    case few
    /// 4,000 boats, nine of ten with the same crew in the same harbor.
    case skewed
    /// 20,000 boats, evenly distributed.
    case even

    var boatCount: Int {
      switch self {
      case .few: 40
      case .skewed: 4000
      case .even: 20_000
      }
    }

    /// Whether a boat is one of the equal ones.
    private func isUsual(_ number: Int) -> Bool { self == .skewed && !number.isMultiple(of: 10) }

    /// The rows of the data set.
    var objects: PlainObjects {
      var objects = PlainObjects(schema: Boats.schema)
      for number in 0..<20 {
        objects.insert(
          "Harbor",
          [
            "code": .value(.string("H\(number)")), "name": .value(.string("Harbor \(number)")),
            "depth": .value(.double(Double(number))), "site": Boats.point(Double(number), 50),
          ])
      }
      for number in 0..<boatCount { objects.insert("Boat", boat(number)) }
      return objects
    }

    private func boat(_ number: Int) -> PlainObject {
      let isUsual = isUsual(number)
      // The unequal boats of the skewed set are every tenth one.
      let other = self == .skewed ? number / 10 : number
      var boat: PlainObject = [
        "id": .value(.int(Int64(number))),
        "name": number.isMultiple(of: 97) ? .value(.null) : .value(.string("boat \(number % 100)")),
        "log": .value(.string("")), "crew": .value(.int(isUsual ? 3 : Int64(other % 50))),
        "seats": number.isMultiple(of: 3) ? .value(.null) : .value(.int(Int64(number % 7))),
        "length": isUsual ? .value(.null) : .value(.float(Float(number % 25))),
        "draft": .value(.double(Double(number % 1000) / 100)),
        "fee": number.isMultiple(of: 5)
          ? .value(.null) : .value(.double(Double(number % 100) / 10)),
        "active": .value(.bool(isUsual || other.isMultiple(of: 2))),
        "key": .value(
          .objectId(ObjectId(bytes: (0..<12).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }))
        ),
        "built": number.isMultiple(of: 11)
          ? .value(.null) : .value(.date(Timestamp(seconds: Int64(number) * 86_400))),
        "berth": .value(.link(ObjectKey(Int64(isUsual ? 3 : number % 20) + 1))),
        "engine": .embedded([
          "maker": .value(.string("maker \(number % 10)")), "torque": .value(.double(1)),
          "power": .value(.int(Int64(number % 100))),
        ]),
      ]
      if isUsual {
        boat["place"] = Boats.point(10 + Double(number % 60) / 100, 56 + Double(number % 40) / 100)
      } else if !number.isMultiple(of: 7) {
        boat["place"] = Boats.point(
          Double(number % 360) - 180, Double(number * 7 % 170) - 85)
      }
      return boat
    }
  }

  @Test(arguments: DataSet.allCases)
  func `plans are as recorded, and agree with scans`(data: DataSet) throws {
    let snapshot = try TestStore.temporary(holding: data.objects).snapshot()
    let differences = try ScriptRunner("golden/\(data).script").run { text in
      let query = try PlanScriptTests.query(text)
      let plan = Planner(StoreCatalog(snapshot)).plan(query)
      let scan = Planner(StoreCatalog(snapshot), options: .withoutIndexes).plan(query)
      let found = try Executor(snapshot).keys(plan).keys
      #expect(try Executor(snapshot).keys(scan).keys == found, "\(text)")
      #expect(try Executor(snapshot).count(plan).count == found.count, "\(text)")
      return "\(PlanText(plan).text())\nfinds \(found.count)"
    }
    for difference in differences { Issue.record("\(difference)") }
  }
}

import CadastreModel
import Testing

@testable import Cadastre

@Suite("The properties that a value specifies")
struct SpecifiedPropertiesTests {
  @Test("no property is specified at first")
  func empty() {
    let specified = SpecifiedProperties(of: 3)
    #expect((0..<3).allSatisfy { !specified.contains($0) })
  }

  @Test("indexes are properties that are set")
  func indexes() {
    let specified = SpecifiedProperties([0, 2], of: 3)
    #expect((0..<3).filter(specified.contains) == [0, 2])
    guard case .set(members: nil) = specified[2] else {
      Issue.record("a property with all members is expected")
      return
    }
  }

  @Test("a property has a value, members, or nothing")
  func contents() {
    var specified = SpecifiedProperties(of: 3)
    specified[0] = .value(.int(5))
    specified[1] = .set(members: SpecifiedProperties([1], of: 2))
    specified[2] = .set(members: nil)
    specified[2] = .nothing
    #expect((0..<3).filter(specified.contains) == [0, 1])
    guard case .value(.int(5)) = specified[0], case .set(let members?) = specified[1] else {
      Issue.record("a number and members are expected")
      return
    }
    #expect((0..<2).filter(members.contains) == [1])
  }
}

@Suite("Exact types of dynamic values")
struct ExactValueTests {
  @Test("only a value of exactly the type is returned")
  func exactly() {
    #expect(DynamicValue.exactly(5, Int.self) == 5)
    #expect(DynamicValue.exactly("text", String.self) == "text")
    #expect(DynamicValue.exactly([1.5], [Double].self) == [1.5])
    #expect(DynamicValue.exactly(Int8(5), Int.self) == nil)
    #expect(DynamicValue.exactly(Int?.some(5) as Any, Int.self) == nil)
    #expect(DynamicValue.exactly(["a": 1], [String: Any].self) == nil)
  }

  @Test("common scalars have a stored form, other values none")
  func commonScalar() {
    #expect(DynamicValue.commonScalar(5) == .int(5))
    #expect(DynamicValue.commonScalar(1.5) == .double(1.5))
    #expect(DynamicValue.commonScalar(true) == .bool(true))
    #expect(DynamicValue.commonScalar("a long text that needs memory") != nil)
    #expect(DynamicValue.commonScalar(Float(1)) == nil)
    #expect(DynamicValue.commonScalar([1]) == nil)
    #expect(DynamicValue.commonScalar(Object()) == nil)
  }

  @Test("a dictionary of a common type is one of any values")
  func commonDictionary() throws {
    let points = try #require(DynamicValue.commonDictionary(["coordinates": [1.5, 2]]))
    #expect(points["coordinates"] as? [Double] == [1.5, 2])
    #expect(DynamicValue.commonDictionary(["a": 1])?["a"] as? Int == 1)
    #expect(DynamicValue.commonDictionary(["a": "b"])?["a"] as? String == "b")
    #expect(DynamicValue.commonDictionary(["a": 1.5])?["a"] as? Double == 1.5)
    #expect(DynamicValue.commonDictionary(["a": 1 as Any])?.count == 1)
    #expect(DynamicValue.commonDictionary([1: "a"]) == nil)
    #expect(DynamicValue.commonDictionary(5) == nil)
  }
}

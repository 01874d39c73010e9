import Cadastre
import Foundation
import Testing

/// A type of single values.
struct ValueRow<Value: RealmCollectionValue>: TypeRow {
  let name: String
  /// The classes that values lead to.
  var classes: [ObjectBase.Type] = []
  /// The values as numbers, where they are numbers.
  var numbers: [Double] = []
  /// A value that distinguishes values.
  var text: (Value) -> String = { "\($0)" }
  /// All or three different values, in ascending order where there is one; new ones each time.
  let samples: () -> [Value]

  private var isObject: Bool { Value.self is ObjectBase.Type }

  func attempt(_ column: TypeColumn) throws -> TypeOutcome {
    switch column {
    case .required: return try alone(samples, text)
    case .primaryKey: return try keyed(samples())
    case .indexed: return try indexed(samples())
    case .list where isObject: return try list(samples, text)
    case .set where isObject: return try set(samples, text)
    case .optional, .list, .set, .map:
      guard let type = Value.self as? any (RealmCollectionValue & OptionalPersistable).Type else {
        return try column == .optional ? .absent : inCollection(column)
      }
      return try optional(column, type)
    case .sort, .extremes, .aggregate, .query:
      guard isObject,
        let type = Value.self as? any (RealmCollectionValue & OptionalPersistable).Type
      else { return try outcome(column, samples, text) }
      return try askOptional(column, type)
    }
  }

  // MARK: Optional values

  /// The samples and null, with values that distinguish them.
  private func optionals<Wrapped: RealmCollectionValue & OptionalPersistable>(
    _ type: Wrapped.Type
  ) -> (samples: () -> [Wrapped?], text: (Wrapped?) -> String) {
    let (samples, text) = (samples, text)
    return (
      { samples().map { $0 as? Wrapped } + [nil] },
      { value in (value as? Value).map(text) ?? "nil" }
    )
  }

  private func optional<Wrapped: RealmCollectionValue & OptionalPersistable>(
    _ column: TypeColumn, _ type: Wrapped.Type
  ) throws -> TypeOutcome {
    let (samples, text) = optionals(type)
    switch column {
    case .optional: return try alone(samples, text)
    case .list: return try both(inCollection(column), list(samples, text))
    case .set: return try both(inCollection(column), set(samples, text))
    default:
      let optional = try map(samples, text)
      return try isObject ? optional : both(inCollection(column), optional)
    }
  }

  private func both(_ first: TypeOutcome, _ second: TypeOutcome) -> TypeOutcome {
    // A mapping to an embedded object needs no null in a list, and the schema allows none.
    first == .works && !classes.isEmpty ? first : first == .works ? second : first
  }

  private func inCollection(_ column: TypeColumn) throws -> TypeOutcome {
    switch column {
    case .list: try list(samples, text)
    case .set: try set(samples, text)
    default: try map(samples, text)
    }
  }

  // MARK: Cells

  private func alone<Held: RealmCollectionValue>(
    _ samples: () -> [Held], _ text: (Held) -> String
  ) throws -> TypeOutcome {
    try reopened(Single<Held>.self, classes) {
      samples().map { sample in
        let object = Single<Held>()
        object.value = sample
        return object
      }
    } _: { realm, objects in
      #expect(objects.map { text($0.value) } == samples().map(text), "\(name)")
      // Over the old values come those of their neighbours.
      try realm.write {
        for (object, sample) in zip(objects, samples().reversed()) { object.value = sample }
      }
      #expect(objects.map { text($0.value) } == samples().reversed().map(text), "\(name)")
    }
  }

  private func keyed(_ samples: [Value]) throws -> TypeOutcome {
    try reopened(Keyed<Value>.self, classes) {
      samples.map { sample in
        let object = Keyed<Value>()
        object.value = sample
        return object
      }
    } _: { realm, _ in
      for sample in samples {
        let found = realm.object(ofType: Keyed<Value>.self, forPrimaryKey: sample)
        #expect(found.map { text($0.value) } == text(sample))
      }
    }
  }

  private func indexed(_ samples: [Value]) throws -> TypeOutcome {
    let last = samples.count - 1
    return try reopened(Indexed<Value>.self, classes) {
      // Enough of the others for the index to pay.
      (0..<200).map { place in
        let object = Indexed<Value>()
        object.place = place
        object.value = samples[place == 7 ? last : place % last]
        return object
      }
    } _: { _, objects in
      let found = objects.filter("value == %@", samples[last])
      #expect(found.explain().contains("Search Indexed.value"), "\(name): \(found.explain())")
      #expect(found.map(\.place) == [7])
    }
  }

  private func list<Element: RealmCollectionValue>(
    _ samples: () -> [Element], _ text: (Element) -> String
  ) throws -> TypeOutcome {
    try reopened(InList<Element>.self, classes) {
      let object = InList<Element>()
      object.values.append(objectsIn: samples() + samples())
      return [object]
    } _: { realm, objects in
      let values = try #require(objects.first).values
      let texts = samples().map(text)
      #expect(values.map(text) == texts + texts)
      try realm.write { values.removeFirst(texts.count - 1) }
      #expect(values.map(text) == [texts[texts.count - 1]] + texts)
    }
  }

  private func set<Element: RealmCollectionValue>(
    _ samples: () -> [Element], _ text: (Element) -> String
  ) throws -> TypeOutcome {
    try reopened(InSet<Element>.self, classes) {
      let object = InSet<Element>()
      let elements = samples()
      object.values.insert(objectsIn: elements + elements)
      return [object]
    } _: { realm, objects in
      let values = try #require(objects.first).values
      let texts = samples().map(text)
      #expect(values.map(text).sorted() == texts.sorted())
      let first = try #require(values.first)
      try realm.write { values.insert(first) }
      #expect(values.count == texts.count && values.contains(first))
      try realm.write { values.remove(first) }
      #expect(values.count == texts.count - 1 && !values.contains(first))
    }
  }

  private func map<Element: RealmCollectionValue>(
    _ samples: () -> [Element], _ text: (Element) -> String
  ) throws -> TypeOutcome {
    try reopened(InMap<Element>.self, classes) {
      let object = InMap<Element>()
      for (key, sample) in zip(["a", "b", "c", "d"], samples()) {
        object.values.updateValue(sample, forKey: key)
      }
      return [object]
    } _: { realm, objects in
      let values = try #require(objects.first).values
      let texts = samples().map(text)
      #expect(values.keys == Array(["a", "b", "c", "d"].prefix(texts.count)))
      #expect(values.values.map(text) == texts)
      #expect(values["b"].map(text) == texts[1] && values["?"] == nil)
      try realm.write { values.removeObject(for: "b") }
      #expect(values["b"] == nil && values.count == texts.count - 1)
    }
  }

  // MARK: Queries

  private func askOptional<Wrapped: RealmCollectionValue & OptionalPersistable>(
    _ column: TypeColumn, _ type: Wrapped.Type
  ) throws -> TypeOutcome {
    let (samples, text) = optionals(type)
    return try outcome(column, { samples().dropLast() }, text)
  }

  private func outcome<Held: RealmCollectionValue>(
    _ column: TypeColumn, _ samples: () -> [Held], _ text: (Held) -> String
  ) throws -> TypeOutcome {
    let places = Array(samples().indices)
    return try reopened(Single<Held>.self, classes) {
      // The largest first, so that the order of adding is not that of the values.
      samples().enumerated().reversed().map { place, sample in
        let object = Single<Held>()
        object.place = place
        object.value = sample
        return object
      }
    } _: { _, objects in
      switch column {
      case .sort:
        #expect(objects.sorted(byKeyPath: "value").map(\.place) == places)
        let descending = objects.sorted(byKeyPath: "value", ascending: false)
        #expect(descending.map(\.place) == places.reversed())
      case .extremes:
        let smallest: AnyRealmValue? = objects.min(ofProperty: "value")
        let largest: AnyRealmValue? = objects.max(ofProperty: "value")
        #expect(objects.filter("value == %@", smallest).map(\.place) == [0])
        #expect(objects.filter("value == %@", largest).map(\.place) == places.suffix(1))
      case .aggregate:
        let sum: Double = objects.sum(ofProperty: "value")
        let average: Double? = objects.average(ofProperty: "value")
        let expected = numbers.reduce(0, +)
        #expect(sum == expected && average == expected / Double(numbers.count))
      default: try askEquality(objects, text)
      }
    }
  }

  private func askEquality<Held: RealmCollectionValue>(
    _ objects: Results<Single<Held>>, _ text: (Held) -> String
  ) throws {
    for object in objects {
      let value = object.value
      #expect(objects.filter("value == %@", value).map(\.place) == [object.place])
      #expect(objects.filter("value != %@", value).count == objects.count - 1)
      #expect(objects.where { $0.value == value }.map(\.place) == [object.place])
      #expect(objects.where { $0.value != value }.count == objects.count - 1)
    }
  }
}

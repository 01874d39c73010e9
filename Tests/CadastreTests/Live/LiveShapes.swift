import Cadastre
import Foundation

/// An element that a live collection is expected to have.
struct LiveElement: Equatable {
  /// The serial number of an object, or a value.
  let id: String
  /// The writes to what an observer watches; it differs if and only if the element counts as modified.
  let writes: String
}

/// An observed collection of one shape, compared with the model at each delivery.
final class LiveShape {
  let name: String
  /// The differences from the model, as text.
  private(set) var faults: [String] = []
  /// The number of deliveries.
  private(set) var deliveries = 0
  private var token: NotificationToken?
  /// The owner of the observed collection when the observation began; nil without one.
  private var observedOwner: Int?
  private let owner: ((MarinaModel) -> Int?)?
  private let start: (Realm, LiveShape) -> NotificationToken?
  /// Reads the collection, apart from its notifications.
  private let read: (Realm) -> [String]?
  private let describe: (MarinaModel) -> [String]
  /// The state after the last delivery.
  private var last: any DeliveredState

  init(
    _ name: String, owner: ((MarinaModel) -> Int?)? = nil, _ state: any DeliveredState,
    read: @escaping (Realm) -> [String]?, describe: @escaping (MarinaModel) -> [String],
    start: @escaping (Realm, LiveShape) -> NotificationToken?
  ) {
    self.name = name
    self.owner = owner
    self.read = read
    self.describe = describe
    self.start = start
    last = state
  }

  /// Begins the observation, or begins it again for a new owner.
  func observe(_ realm: Realm, _ model: MarinaModel) {
    let current = owner.flatMap { $0(model) }
    guard token == nil || current != observedOwner else { return }
    token = nil
    observedOwner = current
    last.begin(model)
    token = start(realm, self)
  }

  func end() { token = nil }

  /// Records a delivery.
  func deliver<State: DeliveredState>(
    _ change: State.Change, as type: State.Type, _ model: MarinaModel
  ) {
    deliveries += 1
    guard var state = last as? State else { return faults.append("another state") }
    let fault = state.apply(change, model, isOwned: isOwned(in: model))
    if let fault { faults.append(fault) }
    last = state
  }

  /// Whether the owner of the observed collection exists.
  private func isOwned(in model: MarinaModel) -> Bool {
    owner.map { $0(model) != nil && $0(model) == observedOwner } ?? true
  }

  /// Returns the differences between the collection, the delivered changes and the model.
  func check(_ realm: Realm, _ model: MarinaModel) -> [String] {
    var found = faults
    faults = []
    let live = read(realm)
    let expected = owner.map { $0(model) == nil } ?? false ? [] : describe(model)
    if (live ?? []) != expected { found.append("expected \(expected), found \(live ?? [])") }
    if token != nil, let missing = last.missing(model, isOwned: isOwned(in: model)) {
      found.append("not delivered: \(missing)")
    }
    return found.map { "shape '\(name)': \($0)" }
  }
}

/// The state after the last delivery to an observer, for one form of changes.
protocol DeliveredState {
  associatedtype Change
  /// Applies a change, and returns its difference from the change of the model; nil if there is none.
  mutating func apply(_ change: Change, _ model: MarinaModel, isOwned: Bool) -> String?
  /// Returns the difference between the last delivery and the model; nil if there is none.
  func missing(_ model: MarinaModel, isOwned: Bool) -> String?
  /// Begins an observation, before the first delivery.
  mutating func begin(_ model: MarinaModel)
}

extension Array where Element: Comparable {
  fileprivate var isStrictlyAscending: Bool { zip(self, dropFirst()).allSatisfy(<) }
}

/// The elements of a result, a list, a set or linking objects.
struct DeliveredElements: DeliveredState {
  /// Nil before the first delivery.
  private var elements: [LiveElement]?
  private let expected: (MarinaModel) -> [LiveElement]
  /// Whether another element at an index is a modification, as in lists.
  private let replaces: Bool

  init(replaces: Bool = false, _ expected: @escaping (MarinaModel) -> [LiveElement]) {
    self.replaces = replaces
    self.expected = expected
  }

  mutating func begin(_ model: MarinaModel) { elements = nil }

  func missing(_ model: MarinaModel, isOwned: Bool) -> String? {
    let now = isOwned ? expected(model) : []
    guard elements != now else { return nil }
    return "last \(elements?.map(\.id) ?? []), now \(now.map(\.id))"
  }

  struct Change {
    let now: [String]
    /// Deletions, insertions and modifications; nil for the initial state.
    let indexes: [[Int]]?
  }

  mutating func apply(_ change: Change, _ model: MarinaModel, isOwned: Bool) -> String? {
    let before = elements
    let now = isOwned ? expected(model) : []
    elements = now
    let text = "\(before?.map(\.id) ?? []) \(change.indexes ?? []) \(change.now)"
    guard change.now == now.map(\.id) else {
      return "delivered \(text), expected \(now.map(\.id))"
    }
    guard let indexes = change.indexes else {
      return before == nil ? nil : "the initial state is delivered again"
    }
    guard let before else { return "a change before the initial state: \(text)" }
    return fault(indexes[0], indexes[1], indexes[2], before, now).map { "\($0): \(text)" }
  }

  private func fault(
    _ deletions: [Int], _ insertions: [Int], _ modifications: [Int], _ before: [LiveElement],
    _ now: [LiveElement]
  ) -> String? {
    let all = [deletions, insertions, modifications]
    guard all.allSatisfy(\.isStrictlyAscending) else { return "indexes out of order" }
    guard all.contains(where: { !$0.isEmpty }) else { return "an empty change" }
    guard deletions.allSatisfy(before.indices.contains), insertions.allSatisfy(now.indices.contains)
    else { return "indexes out of bounds" }
    let (deleted, inserted) = (Set(deletions), Set(insertions))
    let kept = before.indices.filter { !deleted.contains($0) }
    let rest = now.indices.filter { !inserted.contains($0) }
    guard kept.count == rest.count else { return "another number of elements" }
    let pairs = Array(zip(kept, rest))
    if !replaces, let wrong = pairs.first(where: { before[$0.0].id != now[$0.1].id }) {
      return "elements \(before[wrong.0].id) and \(now[wrong.1].id) take one position"
    }
    let modified = pairs.filter { before[$0.0] != now[$0.1] }.map(\.0)
    guard modified == modifications else { return "expected modifications \(modified)" }
    return replaces ? nil : needlessMoves(deletions, insertions, before.map(\.id), now.map(\.id))
  }

  /// Returns a fault if elements are deleted and inserted although no element changed its position among the
  /// others.
  private func needlessMoves(
    _ deletions: [Int], _ insertions: [Int], _ before: [String], _ now: [String]
  ) -> String? {
    let (old, new) = (Set(before), Set(now))
    guard old.count == before.count, new.count == now.count,
      before.filter(new.contains) == now.filter(old.contains)
    else { return nil }
    let gone = before.indices.filter { !new.contains(before[$0]) }
    let come = now.indices.filter { !old.contains(now[$0]) }
    return gone == deletions && come == insertions
      ? nil : "expected deletions \(gone) and insertions \(come)"
  }
}

/// The sections of a result.
struct DeliveredSections: DeliveredState {
  struct Section: Equatable {
    let key: String
    var elements: [LiveElement]
  }

  /// Nil before the first delivery.
  private var sections: [Section]?
  private let expected: (MarinaModel) -> [Section]

  init(_ expected: @escaping (MarinaModel) -> [Section]) { self.expected = expected }

  mutating func begin(_ model: MarinaModel) { sections = nil }

  func missing(_ model: MarinaModel, isOwned: Bool) -> String? {
    let now = expected(model)
    return sections == now ? nil : "last \(Self.text(sections ?? [])), now \(Self.text(now))"
  }

  /// Returns the keys and the elements of sections.
  static func text(_ sections: [Section]) -> [String] {
    sections.map { section in "\(section.key): \(section.elements.map(\.id))" }
  }

  struct Change {
    let now: [String]
    /// The deleted, inserted and modified index paths; nil for the initial state.
    let paths: [[IndexPath]]?
    /// The inserted and deleted sections.
    var come: IndexSet = []
    var gone: IndexSet = []
  }

  mutating func apply(_ change: Change, _ model: MarinaModel, isOwned: Bool) -> String? {
    let before = sections
    let now = expected(model)
    sections = now
    let paths = change.paths?.map { $0.map(Array.init) } ?? []
    let text =
      "\(Self.text(before ?? [])) \(paths) ++\(Array(change.come)) --\(Array(change.gone)) \(change.now)"
    guard change.now == Self.text(now) else {
      return "delivered \(text), expected \(Self.text(now))"
    }
    guard let paths = change.paths else {
      return before == nil ? nil : "the initial state is delivered again"
    }
    guard let before else { return "a change before the initial state: \(text)" }
    return fault(paths, change, before, now).map { "\($0): \(text)" }
  }

  private func fault(
    _ paths: [[IndexPath]], _ change: Change, _ before: [Section], _ now: [Section]
  ) -> String? {
    guard paths.allSatisfy(\.isStrictlyAscending) else { return "index paths out of order" }
    let (old, new) = (before.map(\.key), now.map(\.key))
    let gone = old.indices.filter { !new.contains(old[$0]) }
    let come = new.indices.filter { !old.contains(new[$0]) }
    guard Array(change.gone) == gone, Array(change.come) == come else {
      return "expected inserted sections \(come) and deleted sections \(gone)"
    }
    guard !paths.allSatisfy(\.isEmpty) || !gone.isEmpty || !come.isEmpty else {
      return "an empty change"
    }
    guard !paths[0].contains(where: { gone.contains($0[0]) }) else {
      return "deletions in a deleted section"
    }
    let (deleted, inserted) = (Set(paths[0]), Set(paths[1]))
    var modified: [IndexPath] = []
    for (number, section) in now.enumerated() {
      let rest = section.elements.indices.filter { !inserted.contains([number, $0]) }
      let was = old.firstIndex(of: section.key)
      let kept =
        was.map { was in before[was].elements.indices.filter { !deleted.contains([was, $0]) } }
        ?? []
      guard kept.count == rest.count else { return "another number of elements in \(section.key)" }
      for (one, other) in zip(kept, rest) {
        guard let was else { continue }
        let (first, second) = (before[was].elements[one], section.elements[other])
        guard first.id == second.id else { return "\(first.id) and \(second.id) take one position" }
        if first != second { modified.append([was, one]) }
      }
    }
    modified.sort()
    return modified == paths[2] ? nil : "expected modifications \(modified.map(Array.init))"
  }
}

/// The entries of a map.
struct DeliveredEntries: DeliveredState {
  /// Nil before the first delivery.
  private var entries: [String: LiveElement]?
  private let expected: (MarinaModel) -> [String: LiveElement]

  init(_ expected: @escaping (MarinaModel) -> [String: LiveElement]) { self.expected = expected }

  mutating func begin(_ model: MarinaModel) { entries = nil }

  func missing(_ model: MarinaModel, isOwned: Bool) -> String? {
    let now = isOwned ? expected(model) : [:]
    return entries == now ? nil : "last \(Self.text(entries ?? [:])), now \(Self.text(now))"
  }

  /// Returns the keys and the values of entries.
  static func text(_ entries: [String: LiveElement]) -> [String] {
    entries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.id)" }
  }

  struct Change {
    let now: [String]
    /// The deleted, inserted and modified keys; nil for the initial state.
    let keys: [[String]]?
  }

  mutating func apply(_ change: Change, _ model: MarinaModel, isOwned: Bool) -> String? {
    let before = entries
    let now = isOwned ? expected(model) : [:]
    entries = now
    let text = "\(Self.text(before ?? [:])) \(change.keys ?? []) \(change.now)"
    guard change.now == Self.text(now) else {
      return "delivered \(text), expected \(Self.text(now))"
    }
    guard let keys = change.keys else {
      return before == nil ? nil : "the initial state is delivered again"
    }
    guard let before else { return "a change before the initial state: \(text)" }
    let gone = before.keys.filter { now[$0] == nil }.sorted()
    let come = now.keys.filter { before[$0] == nil }.sorted()
    let modified = now.keys.filter { before[$0] != nil && before[$0] != now[$0] }.sorted()
    guard keys.contains(where: { !$0.isEmpty }) else { return "an empty change: \(text)" }
    return keys == [gone, come, modified] ? nil : "expected \([gone, come, modified]): \(text)"
  }
}

/// The properties of an object.
struct DeliveredProperties: DeliveredState {
  private var writes: [String: Int]?
  private let expected: (MarinaModel) -> [String: Int]

  /// Properties whose writes the model numbers.
  init(_ expected: @escaping (MarinaModel) -> [String: Int]) { self.expected = expected }

  /// Records the initial state, which is not delivered.
  mutating func begin(_ model: MarinaModel) { writes = expected(model) }

  func missing(_ model: MarinaModel, isOwned: Bool) -> String? {
    let now = isOwned ? expected(model) : [:]
    return (writes ?? [:]) == now ? nil : "last \(writes ?? [:]), now \(now)"
  }

  /// The names of the changed properties; nil for a deletion.
  typealias Change = [String]?

  mutating func apply(_ change: Change, _ model: MarinaModel, isOwned: Bool) -> String? {
    let before = writes ?? [:]
    let now = isOwned ? expected(model) : [:]
    writes = now
    guard let names = change else { return isOwned ? "a deletion of an object that exists" : nil }
    let changed = now.keys.filter { before[$0] != now[$0] }.sorted()
    return isOwned && names == changed && !names.isEmpty
      ? nil : "changed properties: expected \(changed), found \(names)"
  }
}

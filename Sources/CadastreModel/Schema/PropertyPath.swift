/// A path from an object to values: property names joined by dots, and other steps.
///
///     owner.address.city
///     trips.stops[0]
///     extra['ports'][LAST]
///     @links.Boat.berth.crew
///
/// Paths are equal if their steps are equal; their positions in a source text are ignored.
public struct PropertyPath: Hashable, Sendable, CustomStringConvertible {
  /// A step of a path.
  public enum Step: Hashable, Sendable {
    /// The property with a name; in a map, the value for that key.
    case property(String)
    /// The element of a list at an index from 0.
    case index(Int)
    /// The first element of a list.
    case first
    /// The last element of a list.
    case last
    /// Every element of a list or every value of a map.
    case every
    /// The value of a map for a key.
    case key(String)
    /// The keys of a map.
    case keys
    /// The values of a map.
    case values
    /// The objects of a class with a link to this object in a property.
    case links(className: String, property: String)
    /// The links to this object from all classes; the only step that may follow is `count`.
    case allLinks
    /// The number of elements, of links or of bytes.
    case count
    /// The number of bytes of each string or data value in a list or set.
    case length
    /// The name of a value's type.
    case type
    /// A part of the date, or of each date of a collection, written as a function: `year(opened)`.
    ///
    /// The last step of a path. A path that is resolved has the name of the part instead, except after a value of any
    /// type, where a name is also the key of a map.
    case part(String)

    /// Returns whether the steps are the same case with the same bytes in their names.
    public static func == (first: Step, second: Step) -> Bool {
      switch (first, second) {
      case (.property(let first), .property(let second)), (.key(let first), .key(let second)):
        first.hasSameBytes(as: second)
      default:
        first.rank == second.rank && first.number == second.number
          && first.texts.elementsEqual(second.texts) { $0.hasSameBytes(as: $1) }
      }
    }

    /// Hashes the case and the bytes of its names.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(rank)
      switch self {
      case .property(let name), .key(let name): name.hashBytes(into: &hasher)
      case .index(let index): hasher.combine(index)
      default: for text in texts { text.hashBytes(into: &hasher) }
      }
    }

    private var rank: Int {
      switch self {
      case .property: 0
      case .index: 1
      case .first: 2
      case .last: 3
      case .every: 4
      case .key: 5
      case .keys: 6
      case .values: 7
      case .links: 8
      case .allLinks: 9
      case .count: 10
      case .length: 11
      case .type: 12
      case .part: 13
      }
    }

    /// The name of a property, or of a part of a date; nil for other steps.
    fileprivate var name: String? {
      switch self {
      case .property(let name), .part(let name): name
      default: nil
      }
    }

    private var number: Int { if case .index(let index) = self { index } else { 0 } }

    private var texts: [String] {
      switch self {
      case .property(let name), .key(let name), .part(let name): [name]
      case .links(let className, let property): [className, property]
      default: []
      }
    }
  }

  /// The steps from first to last; never empty.
  public let steps: [Step]
  /// The source locations for messages: one for each step, one for the path, or none.
  private let spans: [TextSpan]

  /// Creates a path from steps.
  package init(steps: [Step], span: TextSpan? = nil, stepSpans: [TextSpan] = []) {
    precondition(!steps.isEmpty, "a property path has at least one step")
    self.steps = steps
    spans = stepSpans.isEmpty ? span.map { [$0] } ?? [] : stepSpans
  }

  /// Creates a path from property names.
  package init(_ names: [String], span: TextSpan? = nil) {
    self.init(steps: names.map(Step.property), span: span)
  }

  /// Creates a path from property names joined by dots, for example `owner.address.city`.
  ///
  /// - Parameter text: The names. Text such as `[0]` is part of a name here.
  public init(_ text: String) {
    self.init(text.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
  }

  /// The names of the properties and of the part of a date in the path, from first to last.
  public var names: [String] { steps.compactMap(\.name) }

  /// Whether all steps are names of properties, or of a part of a date.
  public var isPlain: Bool { steps.allSatisfy { $0.name != nil } }

  /// Whether the path selects elements, because its last step is not a name.
  ///
  /// A path that ends in the name of a list selects the list as one value.
  package var selectsElements: Bool { steps.last?.name == nil }

  /// Returns the path followed by a property name.
  package func appending(_ name: String) -> PropertyPath { appending([.property(name)]) }

  /// Returns the path followed by steps.
  package func appending(_ more: [Step]) -> PropertyPath {
    PropertyPath(steps: steps + more, span: span)
  }

  /// The location of the path in the source text; nil if it was not parsed.
  package var span: TextSpan? {
    guard let first = spans.first else { return nil }
    guard spans.count > 1 else { return first }
    let end = spans.reduce(0) { max($0, $1.offset + $1.count) }
    return TextSpan(offset: first.offset, count: end - first.offset)
  }

  /// Returns the source location of a step, or of the whole path if the steps have no locations.
  package func span(ofStep index: Int) -> TextSpan? {
    spans.count == steps.count && spans.indices.contains(index) ? spans[index] : span
  }

  /// The path in the syntax of predicates, without escapes.
  public var description: String {
    if case .part(let part)? = steps.last, steps.count > 1 {
      return "\(part)(\(PropertyPath(steps: Array(steps.dropLast()))))"
    }
    return steps.enumerated().map { index, step in
      let dot = index == 0 ? "" : "."
      return switch step {
      case .property(let name), .part(let name): dot + name
      case .index(let index): "[\(index)]"
      case .first: "[FIRST]"
      case .last: "[LAST]"
      case .every: "[*]"
      case .key(let key): "['\(key)']"
      case .keys: "\(dot)@keys"
      case .values: "\(dot)@values"
      case .links(let className, let property): "\(dot)@links.\(className).\(property)"
      case .allLinks: "\(dot)@links"
      case .count: "\(dot)@count"
      case .length: "\(dot)@length"
      case .type: "\(dot)@type"
      }
    }.joined()
  }

  /// Returns whether the steps are equal.
  public static func == (first: PropertyPath, second: PropertyPath) -> Bool {
    // Equality of arrays compares the memory first, which the paths of one key path share.
    first.steps == second.steps
  }

  /// Hashes the steps.
  public func hash(into hasher: inout Hasher) { hasher.combine(steps) }
}

/// A range of a source text, in Unicode scalars.
public struct TextSpan: Hashable, Sendable {
  /// The number of Unicode scalars before the range.
  public var offset: Int
  /// The number of Unicode scalars in the range.
  public var count: Int

  /// Creates a range.
  ///
  /// - Parameters:
  ///   - offset: The number of Unicode scalars before the range.
  ///   - count: The number of Unicode scalars in the range.
  public init(offset: Int, count: Int) {
    self.offset = offset
    self.count = count
  }
}

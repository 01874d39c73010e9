/// The way from an object to values: mostly names joined by dots.
///
///     owner.address.city
///     trips.stops[0]
///     extra['ports'][LAST]
///     @links.Boat.berth.crew
///
/// Two paths are equal when their steps are, wherever in a text they were read.
public struct PropertyPath: Hashable, Sendable, CustomStringConvertible {
  /// One step of a path.
  public enum Step: Hashable, Sendable {
    /// A property by its name; in a map, the value under that key.
    case property(String)
    /// An element of a list by its place, counted from 0.
    case index(Int)
    /// The first element of a list.
    case first
    /// The last element of a list.
    case last
    /// Every element of a list, every value of a map.
    case every
    /// The value of a map under a key.
    case key(String)
    /// The keys of a map.
    case keys
    /// The values of a map.
    case values
    /// The objects of a class that link here by one of its properties.
    case links(className: String, property: String)
    /// All links that lead here, of all classes; only their count can be asked for.
    case allLinks
    /// The number of elements, of links, or of bytes.
    case count
    /// The bytes of each string or data in a list or set.
    case length
    /// The name of a value's type.
    case type

    /// Equal cases; names are equal when their bytes are.
    public static func == (first: Step, second: Step) -> Bool {
      first.rank == second.rank && first.number == second.number
        && first.texts.elementsEqual(second.texts) { $0.utf8.elementsEqual($1.utf8) }
    }

    /// Hashes what equality looks at.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(rank)
      hasher.combine(number)
      for text in texts { for byte in text.utf8 { hasher.combine(byte) } }
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
      }
    }

    private var number: Int { if case .index(let index) = self { index } else { 0 } }

    private var texts: [String] {
      switch self {
      case .property(let name), .key(let name): [name]
      case .links(let className, let property): [className, property]
      default: []
      }
    }
  }

  /// The steps, first to last; never empty.
  public let steps: [Step]
  /// Where the steps stood in a predicate's text, for messages; one stretch for all of them where no
  /// more is known, none when the path was not read from a text.
  private let spans: [TextSpan]

  /// A path of the given steps.
  package init(steps: [Step], span: TextSpan? = nil, stepSpans: [TextSpan] = []) {
    precondition(!steps.isEmpty, "a property path has at least one step")
    self.steps = steps
    spans = stepSpans.isEmpty ? span.map { [$0] } ?? [] : stepSpans
  }

  /// A path of the given names.
  package init(_ names: [String], span: TextSpan? = nil) {
    self.init(steps: names.map(Step.property), span: span)
  }

  /// A path written with dots, such as `owner.address.city`.
  public init(_ text: String) {
    self.init(text.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
  }

  /// The names of the properties on the way, first to last.
  public var names: [String] {
    steps.compactMap { if case .property(let name) = $0 { name } else { nil } }
  }

  /// Whether all steps are names.
  public var isPlain: Bool {
    steps.allSatisfy { if case .property = $0 { true } else { false } }
  }

  /// Whether the last step is no name, so that the path stands for what it finds one by one and never
  /// for a whole list.
  package var standsForValues: Bool {
    if case .property? = steps.last { false } else { true }
  }

  /// The path one name longer.
  package func appending(_ name: String) -> PropertyPath { appending([.property(name)]) }

  /// The path some steps longer.
  package func appending(_ more: [Step]) -> PropertyPath {
    PropertyPath(steps: steps + more, span: span)
  }

  /// Where the path stood in the text; nil when it was not read from one.
  package var span: TextSpan? {
    guard let first = spans.first, let end = spans.map({ $0.offset + $0.count }).max() else {
      return nil
    }
    return TextSpan(offset: first.offset, count: end - first.offset)
  }

  /// Where a step stood in the text, as far as that is known.
  package func span(ofStep index: Int) -> TextSpan? {
    spans.count == steps.count && spans.indices.contains(index) ? spans[index] : span
  }

  /// The steps as a predicate's text writes them, without escapes.
  public var description: String {
    steps.enumerated().map { index, step in
      let dot = index == 0 ? "" : "."
      return switch step {
      case .property(let name): dot + name
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

  /// Equal steps.
  public static func == (first: PropertyPath, second: PropertyPath) -> Bool {
    first.steps == second.steps
  }

  /// Hashes the steps.
  public func hash(into hasher: inout Hasher) { hasher.combine(steps) }
}

/// A stretch of a text, in Unicode scalars from its start.
public struct TextSpan: Hashable, Sendable {
  /// Unicode scalars before the stretch.
  public var offset: Int
  /// Unicode scalars in the stretch.
  public var count: Int

  /// A stretch of `count` scalars after the first `offset`.
  public init(offset: Int, count: Int) {
    self.offset = offset
    self.count = count
  }
}

import CadastreFormatting
import CadastreModel

/// What texts that may mean something else have in common so far.
struct TextTypeInference: Sendable {
  /// What a text could mean.
  enum Meaning: Int, CaseIterable, Sendable {
    case int, double, bool, date, uuid

    var type: PropertyType {
      switch self {
      case .int: .int
      case .double: .double
      case .bool: .bool
      case .date: .date
      case .uuid: .UUID
      }
    }

    var singular: String {
      switch self {
      case .int: "a whole number"
      case .double: "a number"
      case .bool: "a truth value"
      case .date: "a date"
      case .uuid: "a UUID"
      }
    }

    var plural: String {
      switch self {
      case .int: "whole numbers"
      case .double: "numbers"
      case .bool: "truth values"
      case .date: "dates"
      case .uuid: "UUIDs"
      }
    }
  }

  /// The first text without a meaning that all before it had.
  private struct Obstacle: Sendable {
    /// The line it is on, and its number among the texts.
    let line: Int
    let number: Int
    let text: String
  }

  private(set) var count = 0
  private var sawDigits = false
  /// One a meaning; nil while every text has it.
  private var obstacles = [Obstacle?](repeating: nil, count: Meaning.allCases.count)
  /// The meanings that every text has, as bits.
  private var open: UInt8

  /// Starts with meanings that are possible at all.
  init(_ meanings: [Meaning] = Meaning.allCases) {
    open = meanings.reduce(0) { $0 | 1 << UInt8($1.rawValue) }
  }

  private func isOpen(_ meaning: Meaning) -> Bool { open & 1 << UInt8(meaning.rawValue) != 0 }

  /// What all texts mean; nil where that is text.
  private var meaning: Meaning? {
    guard count > 0 else { return nil }
    // Nothing but `nan` or `inf` is more likely a name than a number.
    return Meaning.allCases.first { isOpen($0) && ($0 != .double || sawDigits) }
  }

  /// The narrowest type of all texts.
  var type: PropertyType { meaning?.type ?? .string }

  /// Why it is that type.
  var reason: String {
    guard count > 0 else { return "there are no values" }
    if let meaning {
      let all =
        count == 1
        ? "the only value is \(meaning.singular)"
        : "all \(grouped(count)) values are \(meaning.plural)"
      guard meaning == .double, let fraction = obstacles[Meaning.int.rawValue] else { return all }
      return all + ", the first with a fraction \(words(fraction))"
    }
    // The meaning that held out longest is the one that a reader wonders about; one that the first
    // text had not is none.
    let last = Meaning.allCases.compactMap { meaning in
      obstacles[meaning.rawValue].map { (meaning: meaning, obstacle: $0) }
    }.max { $0.obstacle.number < $1.obstacle.number }
    guard let last, last.obstacle.number > 1 else { return counted(count, "text") }
    return "not all values are \(last.meaning.plural): \(words(last.obstacle))"
  }

  private func words(_ obstacle: Obstacle) -> String {
    "line \(grouped(obstacle.line)) has '\(printable(obstacle.text))'"
  }

  /// Takes a text into account.
  mutating func observe(_ bytes: UnsafeBufferPointer<UInt8>, line: Int) {
    count += 1
    guard open != 0 else { return }
    if isOpen(.int) || isOpen(.double) { observeNumber(bytes, line) }
    if isOpen(.bool), FieldParsing.boolWord(bytes) == nil { close(.bool, bytes, line) }
    if isOpen(.date), FieldParsing.date(bytes) == nil { close(.date, bytes, line) }
    if isOpen(.uuid), FieldParsing.uuid(bytes) == nil { close(.uuid, bytes, line) }
  }

  private mutating func close(
    _ meaning: Meaning, _ bytes: UnsafeBufferPointer<UInt8>, _ line: Int
  ) {
    guard isOpen(meaning) else { return }
    open &= ~(1 << UInt8(meaning.rawValue))
    obstacles[meaning.rawValue] = Obstacle(
      line: line, number: count, text: String(decoding: bytes.prefix(40), as: UTF8.self))
  }

  private mutating func observeNumber(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int) {
    guard !isCode(bytes) else {
      close(.int, bytes, line)
      close(.double, bytes, line)
      return
    }
    if let whole = FieldParsing.int64(bytes) {
      sawDigits = true
      if whole.magnitude > 1 << 53 { close(.double, bytes, line) }
      return
    }
    close(.int, bytes, line)
    guard isOpen(.double) else { return }
    let isWhole = bytes.dropFirst(bytes.first == UInt8(ascii: "-") ? 1 : 0)
      .allSatisfy { FieldParsing.digit($0) != nil }
    if isWhole || FieldParsing.double(bytes) == nil { close(.double, bytes, line) }
    if let last = bytes.last, FieldParsing.digit(last) != nil || last == UInt8(ascii: ".") {
      sawDigits = true
    }
  }

  /// Whether digits are written in a way that numbers are not: `007`, `+49`.
  private func isCode(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first, first != UInt8(ascii: "+") else { return true }
    let digits = bytes.dropFirst(first == UInt8(ascii: "-") ? 1 : 0)
    guard digits.first == UInt8(ascii: "0"), let second = digits.dropFirst().first else {
      return false
    }
    return FieldParsing.digit(second) != nil
  }
}

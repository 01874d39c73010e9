import Cadastre
import CadastreTestSupport

/// A change of a collection of a plot.
///
/// Offsets may be of any size; they count modulo the number of elements, and no element of an empty collection
/// is changed.
enum CollectionEdit: Sendable {
  case appendLink(Int)
  case insertLink(Int, at: Int)
  case removeLink(at: Int)
  case moveLink(from: Int, to: Int)
  case replaceLink(Int, at: Int)
  case removeAllLinks
  case appendNumbers([Int])
  case removeNumber(at: Int)
  case moveNumber(from: Int, to: Int)
  case replaceNumber(Int, at: Int)
  case insertTag(String)
  case removeTag(String)
  case setMark(String, Int?)
  case appendPart(WriteModel.Part)
  case insertPart(WriteModel.Part, at: Int)
  case removePart(at: Int)
  case replacePart(WriteModel.Part, at: Int)
  case setWeight(Int, ofPart: Int)

  /// Makes a random change; `ids` are the existing plots, at least one.
  static func random(_ ids: [Int], _ random: inout SeededGenerator) -> CollectionEdit {
    let (first, second) = (random.below(100), random.below(100))
    return switch random.below(24) {
    case 0, 1, 2: .appendLink(random.pick(ids))
    case 3: .insertLink(random.pick(ids), at: first)
    case 4: .removeLink(at: first)
    case 5: .moveLink(from: first, to: second)
    case 6: .replaceLink(random.pick(ids), at: first)
    case 7: random.oneIn(3) ? .removeAllLinks : .appendLink(random.pick(ids))
    case 8, 9: .appendNumbers((0...random.below(4)).map { _ in random.below(50) })
    case 10: .removeNumber(at: first)
    case 11: .moveNumber(from: first, to: second)
    case 12: .replaceNumber(second, at: first)
    case 13, 14: .insertTag("tag \(first % 4)")
    case 15: .removeTag("tag \(first % 4)")
    case 16, 17: .setMark("mark \(first % 4)", second)
    case 18: .setMark("mark \(first % 4)", nil)
    case 19, 20: .appendPart(WriteField.part(&random))
    case 21: .insertPart(WriteField.part(&random), at: first)
    case 22: random.oneIn(2) ? .removePart(at: first) : .setWeight(second, ofPart: first)
    default: .replacePart(WriteField.part(&random), at: first)
    }
  }

  /// Changes the model.
  func apply(to plot: inout WriteModel.Plot) {
    switch self {
    case .appendLink(let id): plot.links.append(id)
    case .insertLink(let id, let index): plot.links.insert(id, at: index % (plot.links.count + 1))
    case .removeLink(let index): plot.links.removeElement(at: index)
    case .moveLink(let from, let to): plot.links.moveElement(from: from, to: to)
    case .replaceLink(let id, let index): plot.links.replaceElement(at: index, with: id)
    case .removeAllLinks: plot.links = []
    case .appendNumbers(let numbers): plot.numbers += numbers
    case .removeNumber(let index): plot.numbers.removeElement(at: index)
    case .moveNumber(let from, let to): plot.numbers.moveElement(from: from, to: to)
    case .replaceNumber(let number, let index): plot.numbers.replaceElement(at: index, with: number)
    case .insertTag(let tag): plot.tags.insert(tag)
    case .removeTag(let tag): plot.tags.remove(tag)
    case .setMark(let key, let value): plot.marks[key] = value
    case .appendPart(let part): plot.parts.append(part)
    case .insertPart(let part, let index):
      plot.parts.insert(part, at: index % (plot.parts.count + 1))
    case .removePart(let index): plot.parts.removeElement(at: index)
    case .replacePart(let part, let index): plot.parts.replaceElement(at: index, with: part)
    case .setWeight(let weight, let index):
      guard !plot.parts.isEmpty else { return }
      plot.parts[index % plot.parts.count].weight = weight
    }
  }

  /// Changes an object.
  func apply(to plot: WritePlot, _ held: HeldObjects) throws(WriteFailure) {
    switch self {
    case .appendLink(let id): plot.links.append(try held.plot(id))
    case .insertLink(let id, let index):
      plot.links.insert(try held.plot(id), at: index % (plot.links.count + 1))
    case .removeLink(let index): Self.remove(plot.links, index)
    case .moveLink(let from, let to): Self.move(plot.links, from, to)
    case .replaceLink(let id, let index): Self.replace(plot.links, index, try held.plot(id))
    case .removeAllLinks: plot.links.removeAll()
    case .appendNumbers(let numbers):
      // One by one, and together.
      if numbers.count == 2 {
        for number in numbers { plot.numbers.append(number) }
      } else {
        plot.numbers.append(objectsIn: numbers)
      }
    case .removeNumber(let index): Self.remove(plot.numbers, index)
    case .moveNumber(let from, let to): Self.move(plot.numbers, from, to)
    case .replaceNumber(let number, let index): Self.replace(plot.numbers, index, number)
    case .insertTag(let tag): plot.tags.insert(tag)
    case .removeTag(let tag): plot.tags.remove(tag)
    case .setMark(let key, let value): plot.marks[key] = value
    case .appendPart(let part): plot.parts.append(WritePart(value: part.dictionary))
    case .insertPart(let part, let index):
      plot.parts.insert(WritePart(value: part.dictionary), at: index % (plot.parts.count + 1))
    case .removePart(let index): Self.remove(plot.parts, index)
    case .replacePart(let part, let index):
      Self.replace(plot.parts, index, WritePart(value: part.dictionary))
    case .setWeight(let weight, let index):
      guard !plot.parts.isEmpty else { return }
      plot.parts[index % plot.parts.count].weight = weight
    }
  }

  private static func remove<Element>(_ list: List<Element>, _ index: Int) {
    guard !list.isEmpty else { return }
    list.remove(at: index % list.count)
  }

  private static func move<Element>(_ list: List<Element>, _ from: Int, _ to: Int) {
    guard !list.isEmpty else { return }
    list.move(from: from % list.count, to: to % list.count)
  }

  private static func replace<Element>(_ list: List<Element>, _ index: Int, _ element: Element) {
    guard !list.isEmpty else { return }
    list[index % list.count] = element
  }
}

extension Array {
  fileprivate mutating func removeElement(at index: Int) {
    guard !isEmpty else { return }
    remove(at: index % count)
  }

  fileprivate mutating func moveElement(from: Int, to: Int) {
    guard !isEmpty else { return }
    let target = to % count
    let element = remove(at: from % count)
    insert(element, at: target)
  }

  fileprivate mutating func replaceElement(at index: Int, with element: Element) {
    guard !isEmpty else { return }
    self[index % count] = element
  }
}

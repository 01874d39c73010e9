import Cadastre
import Foundation

/// The commands that change the cards of one owner, one after the other.
///
/// Each step is one command and one commit: an import that updates and adds cards, a change of two fields, a
/// deletion of some cards. The cards of an owner tell the number of steps that were committed.
struct CardCommand {
  static let owners = 2
  private static let (slots, kept) = (5, 2)

  let owner: Int
  /// The number of the step, from 1.
  let step: Int

  /// The arguments of the command line.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - folder: The folder of the file that an import reads.
  /// - Returns: The arguments.
  /// - Throws: Where the file cannot be written.
  func arguments(_ store: String, in folder: String) throws -> [String] {
    switch step % 3 {
    case 1:
      let file = folder + "/cards\(owner).csv"
      let lines = (0..<Self.slots).map { "c\(owner)s\($0),\(owner),\($0),\(step),import \(step)\n" }
      try ("id,owner,slot,step,text\n" + lines.joined())
        .write(toFile: file, atomically: false, encoding: .utf8)
      return ["import", file, "--store", store, "--into", "Card", "--pk", "id", "--upsert"]
    case 2:
      return ["set", store, "Card", "owner == \(owner)", "step=\(step)", "text=set \(step)"]
    default: return ["delete", store, "Card", "owner == \(owner) AND slot >= \(Self.kept)"]
    }
  }

  /// The cards after the step, as texts.
  private var cards: [String] {
    guard step > 0 else { return [] }
    let (count, writer) = step % 3 == 0 ? (Self.kept, step - 1) : (Self.slots, step)
    let command = step % 3 == 1 ? "import" : "set"
    return (0..<count).map { "c\(owner)s\($0) \($0) \(writer) \(command) \(writer)" }
  }

  /// The number of steps after which the cards of an owner are as a Realm has them; nil for none.
  static func steps(of owner: Int, _ realm: Realm) -> Int? {
    var (cards, newest) = ([String](), 0)
    for card in realm.objects(Card.self).where({ $0.owner == owner }).sorted(byKeyPath: "slot") {
      cards.append("\(card.id) \(card.slot) \(card.step) \(card.text)")
      newest = max(newest, card.step)
    }
    return [newest, newest + 1].first { CardCommand(owner: owner, step: $0).cards == cards }
  }
}

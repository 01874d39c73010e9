import Cadastre
import Foundation

/// The objects of the library's transactions at one version: read from a store, or computed from the
/// transactions up to the version.
struct IsolationContent {
  private var balances: [Int: Int] = [:]
  private var tallies: [String: Int] = [:]
  private var chain: [Int] = []
  private var sheets: [Int] = []
  private var turns = 0
  /// The newest transactions.
  private var recent: [(version: Int, id: String)] = []

  /// The names of the parts.
  static let parts = ["accounts", "tallies", "chain", "sheets", "transactions"]
  /// The number of versions whose transactions are compared by name.
  private static let recentVersions = 16

  // MARK: The model

  /// The content after the creation of the store.
  init() {
    for id in 0..<IsolationWorkload.accounts { balances[id] = IsolationWorkload.firstBalance }
  }

  /// Applies the next transaction.
  mutating func apply(_ turn: TurnRecord) {
    turns += 1
    recent.append((turn.version, turn.id))
    switch turn.kind {
    case .transfer:
      balances[turn.source, default: 0] -= turn.amount
      balances[turn.target, default: 0] += turn.amount
    case .increment: tallies[turn.writer, default: 0] += 1
    case .append: chain = Array((chain + [turn.version]).suffix(IsolationWorkload.window))
    case .sheet: sheets = Array((sheets + [turn.version]).suffix(IsolationWorkload.sheets))
    }
    recent = Array(recent.suffix(Self.recentVersions))
  }

  // MARK: The store

  /// Reads the content of a version.
  init(_ realm: Realm, version: Int) {
    for account in realm.objects(Account.self) { balances[account.id] = account.balance }
    for tally in realm.objects(Tally.self) { tallies[tally.writer] = tally.count }
    chain = realm.object(ofType: Chain.self, forPrimaryKey: 0).map { Array($0.versions) } ?? []
    for sheet in realm.objects(Sheet.self).sorted(byKeyPath: "number") {
      sheets.append(sheet.words == IsolationWorkload.words(sheet.number) ? sheet.number : -1)
    }
    let all = realm.objects(Turn.self)
    turns = all.count
    let first = version - Self.recentVersions
    for turn in all.where({ $0.version > first }).sorted(byKeyPath: "version") {
      recent.append((turn.version, turn.id))
    }
  }

  // MARK: Comparison

  /// The texts of the parts at a version.
  func texts(at version: Int) -> [String] {
    let recent = recent.filter { $0.version > version - Self.recentVersions }
    return [
      Self.text(balances), Self.text(tallies), "\(chain)", "\(sheets)",
      "\(turns) " + recent.map { "\($0.version)=\($0.id)" }.joined(separator: " "),
    ]
  }

  private static func text<Key: Comparable>(_ values: [Key: Int]) -> String {
    values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }

  /// The hashes of the parts at a version, the same in every process.
  func hashes(at version: Int) -> [UInt64] { texts(at: version).map(Self.hash) }

  /// The 64-bit hash FNV-1a.
  ///
  /// Source: G. Fowler, L. Noll, K.-P. Vo, "The FNV Non-Cryptographic Hash Algorithm".
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

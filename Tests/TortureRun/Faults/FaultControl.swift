import Foundation

/// The file by which this process tells the interposer which calls fail, see `Interposer/faults.c`.
struct FaultControl {
  let path: String
  private let bytes: UnsafeMutableRawPointer

  /// The kinds of calls, in the order of the interposer.
  struct Kinds: OptionSet {
    let rawValue: Int64
    static let open = Kinds(rawValue: 1)
    static let read = Kinds(rawValue: 2)
    static let write = Kinds(rawValue: 4)
    static let sync = Kinds(rawValue: 8)
    static let truncate = Kinds(rawValue: 16)
    static let lock = Kinds(rawValue: 32)
    static let rename = Kinds(rawValue: 64)
    static let unlink = Kinds(rawValue: 128)
    static let map = Kinds(rawValue: 256)
    static let make = Kinds(rawValue: 512)
    static let all = Kinds(rawValue: 1023)
  }

  /// The offset of a number in the file.
  private enum Field: Int {
    case armed, kinds, nth, fault, forever, count, fired, recording, clock, guarded, unguarded
  }
  private enum Text {
    static let size = 512
    static let root = 88
    static let record = root + size
    static let last = record + size
    static let breach = last + size
    static let end = breach + size
  }

  /// Maps a control file; a missing one is created.
  init(path: String) throws {
    self.path = path
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0, ftruncate(file, off_t(Text.end)) == 0,
      let bytes = mmap(nil, Text.end, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      bytes != MAP_FAILED
    else { throw Failure("cannot map \(path)") }
    close(file)
    self.bytes = bytes
  }

  /// The variables of a process whose calls fail.
  var environment: [String: String] {
    get throws {
      guard let library = ProcessInfo.processInfo.environment["CADASTRE_TORTURE_LIBRARY"] else {
        throw Failure("CADASTRE_TORTURE_LIBRARY does not name the interposer: use Scripts/torture")
      }
      return ["LD_PRELOAD": library, "CADASTRE_TORTURE_CONTROL": path]
    }
  }

  /// Lets calls on the files below a folder fail.
  func arm(_ root: String, _ fault: Fault, at nth: Int) {
    set(.armed, 0)
    set(Text.root, root)
    set(Text.last, "")
    set(.kinds, fault.kinds.rawValue)
    set(.nth, Int64(nth))
    set(.fault, fault.code)
    set(.forever, fault.isForever ? 1 : 0)
    set(.count, 0)
    set(.fired, 0)
    set(.armed, 1)
  }

  /// Watches the files below a folder.
  func watch(_ root: String) { set(Text.root, root) }

  /// Ends the faults.
  func disarm() { set(.armed, 0) }

  /// Appends all changes of the files below a folder to a file.
  func record(_ root: String, to path: String) {
    set(Text.root, root)
    set(Text.record, path)
    set(.recording, 1)
  }

  func endRecord() { set(.recording, 0) }

  /// The calls that were counted since `arm`.
  var count: Int { Int(get(.count)) }
  /// The calls that have failed since `arm`.
  var fired: Int { Int(get(.fired)) }
  /// The kind and the path of the first call that failed.
  var last: String { text(Text.last) }

  /// The number of writes to stores, and to the headers of their logs, under the lock of the writers.
  var guardedWrites: Int { Int(get(.guarded)) }

  /// Throws where a process copied a log into its store or restarted it without the lock of the
  /// writers.
  func requireGuardedLogs() throws {
    if let finding = takeUnguardedWrites() { throw Failure(finding) }
  }

  /// The writes since the last call that copied a log into its store or restarted it without the lock of the
  /// writers, as a sentence; nil where there were none.
  func takeUnguardedWrites() -> String? {
    let count = get(.unguarded)
    guard count > 0 else { return nil }
    set(.unguarded, 0)
    return "\(count) writes without the lock, first [\(text(Text.breach))]"
  }

  private func text(_ offset: Int) -> String {
    String(cString: bytes.advanced(by: offset).assumingMemoryBound(to: CChar.self))
  }

  /// Seconds that are added to the time of day.
  func moveClock(by seconds: Int) { set(.clock, Int64(seconds)) }

  private func get(_ field: Field) -> Int64 {
    bytes.load(fromByteOffset: field.rawValue * 8, as: Int64.self)
  }

  private func set(_ field: Field, _ value: Int64) {
    bytes.storeBytes(of: value, toByteOffset: field.rawValue * 8, as: Int64.self)
  }

  private func set(_ offset: Int, _ text: String) {
    precondition(text.utf8.count < Text.size)
    for (index, byte) in (Array(text.utf8) + [0]).enumerated() {
      bytes.storeBytes(of: byte, toByteOffset: offset + index, as: UInt8.self)
    }
  }
}

/// How the n-th call of the system fails.
struct Fault: Sendable {
  let name: String
  let kinds: FaultControl.Kinds
  /// An error number, or one of the codes of the interposer.
  let code: Int64
  let isForever: Bool

  /// Whether the process dies at the call.
  var isKill: Bool { code > 1000 }
  /// Whether the call only transfers fewer bytes, which callers must expect.
  var isShort: Bool { code == 1000 }

  static let all: [Fault] = [
    Fault(name: "eio", kinds: .all, code: Int64(EIO), isForever: false),
    Fault(
      name: "eio-forever", kinds: [.read, .write, .sync, .truncate], code: Int64(EIO),
      isForever: true),
    Fault(name: "enospc", kinds: [.write, .make], code: Int64(ENOSPC), isForever: false),
    Fault(name: "enospc-forever", kinds: [.write, .make], code: Int64(ENOSPC), isForever: true),
    Fault(name: "short", kinds: [.read, .write], code: 1000, isForever: false),
    Fault(name: "short-forever", kinds: [.read, .write], code: 1000, isForever: true),
    Fault(name: "kill", kinds: .all, code: 1001, isForever: false),
    Fault(name: "torn", kinds: .write, code: 1002, isForever: false),
  ]
}

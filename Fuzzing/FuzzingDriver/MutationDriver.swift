import Foundation

/// Calls a function with the inputs of corpora and with random changes of them.
///
/// It needs no instrumented build, unlike libFuzzer, whose options it understands as far as it needs them: `-seed`,
/// `-max_total_time`, `-max_len`, `-artifact_prefix` and folders of inputs. It finds what the corpora and shallow
/// changes of them reach. `Scripts/fuzz` without `--short` uses libFuzzer.
struct MutationDriver {
  private var seed: UInt64 = 1
  private var seconds = 10
  private var maximumLength = 4096
  private var prefix = ""
  private var corpus: [[UInt8]] = []

  init(_ arguments: [String]) {
    for argument in arguments {
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      switch (parts.first, parts.last) {
      case ("-seed", let value?): seed = UInt64(value) ?? seed
      case ("-max_total_time", let value?): seconds = Int(value) ?? seconds
      case ("-max_len", let value?): maximumLength = Int(value) ?? maximumLength
      case ("-artifact_prefix", let value?): prefix = value
      default: if !argument.hasPrefix("-") { corpus += Self.inputs(in: argument) }
      }
    }
    if corpus.isEmpty { corpus = [[]] }
  }

  private static func inputs(in folder: String) -> [[UInt8]] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().compactMap { name in
      FileManager.default.contents(atPath: folder + "/" + name).map { Array($0) }
    }
  }

  /// Runs all inputs, and then random changes of them until the time is over.
  mutating func run(_ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) {
    let end = ContinuousClock.now + .seconds(seconds)
    // The input of a run that stops the process stays in this file.
    let path = prefix + "current"
    let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    if descriptor < 0 { stop("\(path) cannot be written") }
    var count = 0
    func run(_ input: [UInt8]) {
      input.withUnsafeBufferPointer { bytes in
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, bytes.baseAddress, bytes.count, 0)
        _ = check(bytes.baseAddress, bytes.count)
      }
      count += 1
    }
    for input in corpus where input.count <= maximumLength { run(input) }
    while ContinuousClock.now < end { run(changed()) }
    close(descriptor)
    unlink(path)
    let text =
      "stat::number_of_executed_units: \(count)\nstat::average_exec_per_sec: \(count / max(seconds, 1))\n"
    FileHandle.standardError.write(Data(text.utf8))
  }

  /// An input of the corpora with a few random changes.
  private mutating func changed() -> [UInt8] {
    var input = corpus[below(corpus.count)]
    for _ in 0...below(4) {
      let index = below(input.count + 1)
      switch below(6) {
      case 0 where index < input.count: input[index] ^= 1 << UInt8(below(8))
      case 1 where index < input.count: input[index] = Self.special[below(Self.special.count)]
      case 2: input.insert(UInt8(below(256)), at: index)
      case 3: input.removeSubrange(index..<min(input.count, index + 1 + below(8)))
      case 4:
        let other = corpus[below(corpus.count)]
        let start = below(other.count + 1)
        input.insert(contentsOf: other[start..<min(other.count, start + 1 + below(32))], at: index)
      default:
        let length = min(input.count - index, 1 + below(16))
        input.insert(contentsOf: Array(input[index..<index + length]), at: below(input.count + 1))
      }
    }
    return Array(input.prefix(maximumLength))
  }

  /// Bytes at the limits of numbers, and those that structure text.
  private static let special: [UInt8] =
    [0, 1, 0x7F, 0x80, 0xFF] + Array(#"{}[]()<>"',;:.-+0919 \#n\"#.utf8)

  /// A random number below a limit.
  ///
  /// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
  private mutating func below(_ limit: Int) -> Int {
    seed &+= 0x9E37_79B9_7F4A_7C15
    var mixed = seed
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
  }
}

import Cadastre

/// Makes a programming error in a process of its own, for the test of the backtrace.
@main
struct StopRun {
  static func main() { removeMoreThanThere() }

  @inline(never)
  private static func removeMoreThanThere() { List<Int>().removeLast(2) }
}

import Foundation

/// The campaigns of faults and hostile files that `Scripts/torture` and `Scripts/kill` start.
@main
enum TortureRun {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      switch arguments.first {
      case "kill": try KillRun.main(Array(arguments.dropFirst()))
      case "faults": try FaultCampaign.main(Options(arguments.dropFirst()))
      case "fault-worker": try FaultWorker.main(Array(arguments.dropFirst()))
      case "power": try PowerCampaign.main(Options(arguments.dropFirst()))
      case "power-worker": try PowerWorker.main(Array(arguments.dropFirst()))
      case "damage": try DamageCampaign.main(Options(arguments.dropFirst()))
      case "damage-worker": try DamageWorker.main(Array(arguments.dropFirst()))
      case "soak": try SoakCampaign.main(Options(arguments.dropFirst()))
      case "soak-worker": try SoakWorker.main(Array(arguments.dropFirst()))
      default: throw Failure("expected a campaign: kill, faults, power, damage or soak")
      }
    } catch {
      FileHandle.standardError.write(Data("FAILED: \(error)\n".utf8))
      exit(1)
    }
  }
}

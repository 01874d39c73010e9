import Foundation

/// The campaigns that `Scripts/torture` and `Scripts/kill` start, and the processes that these start.
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
      case "isolation": try IsolationCampaign.main(Options(arguments.dropFirst()))
      case "isolation-worker": try IsolationWorker.main(Array(arguments.dropFirst()))
      case "churn": try ChurnCampaign.main(Options(arguments.dropFirst()))
      case "churn-worker": try ChurnWorker.main(Array(arguments.dropFirst()))
      case "names": try NamesCampaign.main(Options(arguments.dropFirst()))
      case "names-worker": try NamesWorker.main(Array(arguments.dropFirst()))
      case "watch": try WatchCampaign.main(Options(arguments.dropFirst()))
      case "watch-worker": try WatchWorker.main(Array(arguments.dropFirst()))
      case "watch-spinner": WatchWorker.spin()
      default:
        throw Failure(
          "expected a campaign: kill, faults, power, damage, soak, isolation, churn, names or watch"
        )
      }
    } catch {
      FileHandle.standardError.write(Data("FAILED: \(error)\n".utf8))
      exit(1)
    }
  }
}

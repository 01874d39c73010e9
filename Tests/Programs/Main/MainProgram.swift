import Dispatch
import Foundation
import ProgramWorks

/// A program with a synchronous `main`, and contexts outside of actors and tasks.
@main
struct MainProgram {
  static func main() {
    let assignment = Assignment()
    switch assignment.entry {
    case "RunLoop": assignment.open().begin()
    case "dispatchMain":
      nonisolated(unsafe) let job = assignment.open()
      DispatchQueue.main.async { job.begin() }
      dispatchMain()
    case "queue":
      let queue = DispatchQueue(label: "programs")
      queue.async { assignment.open(queue: queue).begin() }
    case "main queue":
      DispatchQueue.main.async { assignment.open(queue: .main).begin() }
    case "thread":
      Thread.detachNewThread {
        assignment.open().begin()
        while true { Thread.sleep(forTimeInterval: 60) }
      }
    case "thread, RunLoop":
      Thread.detachNewThread {
        let loop = RunLoop.current
        // Observers need a run loop that runs.
        loop.add(
          Timer(timeInterval: 0, repeats: false) { _ in assignment.open().begin() },
          forMode: .default)
        loop.add(Timer(timeInterval: 60, repeats: true) { _ in }, forMode: .default)
        loop.run()
      }
    default: assignment.failForEntry()
    }
    RunLoop.main.run()
  }
}

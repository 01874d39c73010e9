import Dispatch
import Foundation
import ProgramWorks

// A script without `await`. A Realm that is opened here belongs to the main actor, which stays on the main
// thread in a run loop and leaves it in `dispatchMain()`.
let assignment = Assignment()
let job = assignment.open()

switch assignment.entry {
case "RunLoop":
  job.begin()
  RunLoop.main.run()
case "RunLoop, task":
  Task { await job.perform() }
  RunLoop.main.run()
case "dispatchMain":
  DispatchQueue.main.async { MainActor.assumeIsolated { job.begin() } }
  dispatchMain()
case "dispatchMain, task":
  Task { await job.perform() }
  dispatchMain()
default: assignment.failForEntry()
}

import ProgramWorks

// A script with `await`.
let job = Assignment().open()
await job.perform()

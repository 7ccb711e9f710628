import OutlineModel

let settings = HistorySettings(CommandLine.arguments.dropFirst())
let report = await runHistories(settings)
report.printCounts()
if let failure = report.failures.first { fatalError("\(failure)") }

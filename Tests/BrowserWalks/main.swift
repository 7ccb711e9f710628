let report = try await runWalks(WalkSettings(CommandLine.arguments.dropFirst()))
print(
  "\(report.keys) keys in \(report.walks) walks over \(report.directories) directories, "
    + "matches in two parts \(report.firstMatches) times"
)

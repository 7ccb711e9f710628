import DirectoryExchange
import DirectoryModel
import LiveDirectory
import Platform
import SiteSettings
import SystemPackage

extension DirectoryImport {
  /// The job of a name.
  ///
  /// - Throws: `.usage` where the configuration has none.
  package func job(_ name: String) throws(DirectoryError) -> ImportJob {
    let jobs = site.settings.jobs
    if let job = jobs.first(where: { $0.name == name }) { return job }
    let names = jobs.map(\.name).joined(separator: ", ")
    throw DirectoryError(
      .usage,
      "there is no job \(name) in the configuration",
      advice: names.isEmpty
        ? "describe it under the key jobs of config.yaml" : "the jobs are \(names)"
    )
  }
}

extension ImportRequest {
  /// What a job imports: of each pattern, the newest file that fits it.
  ///
  /// - Throws: `.noInput` where none does.
  package init(_ job: ImportJob) throws(DirectoryError) {
    // A command's output is handed over as standard input.
    self.init(paths: job.command == nil ? try job.files.map(Self.newest) : ["-"])
    mappingFile = job.mapping
    mappings = job.entries
    source = job.name
    home = job.into
    decisionFile = job.decisions
    replace = job.replaces
  }

  private static func newest(_ pattern: String) throws(DirectoryError) -> String {
    let path = FilePath(pattern)
    guard let last = path.lastComponent?.string, last.contains(where: { "*?[".contains($0) }) else {
      return pattern
    }
    let folder = path.removingLastComponent()
    let names: [String]
    do throws(Errno) {
      names = try FolderListing.names(in: folder)
    } catch {
      throw DirectoryError(
        error == .noSuchFileOrDirectory ? .noInput : .cannotRead,
        "cannot read \(folder): \(error)"
      )
    }
    var found: (path: String, age: (Int, Int, String))?
    for name in names where fnmatch(last, name, FNM_PERIOD) == 0 {
      let candidate = folder.appending(name).string
      var status = stat()
      guard stat(candidate, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      // Of files that were copied at once the name tells.
      let age = (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec), name)
      if found.map({ $0.age < age }) ?? true { found = (candidate, age) }
    }
    guard let found else {
      throw DirectoryError(.noInput, "no file matches \(pattern)")
    }
    return found.path
  }
}

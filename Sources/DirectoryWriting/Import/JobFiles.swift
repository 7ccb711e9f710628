import DirectoryModel
import Platform
import Synchronization
import SystemPackage

/// What a job's command prints.
package enum JobOutput {
  /// Runs a command of the shell, and lets its output be this process's standard input.
  ///
  /// All of it is taken before anything is read, since only the exit status tells whether it is whole.
  ///
  /// - Throws: `.noInput` where the command fails.
  package static func takeAsInput(_ command: String) throws(DirectoryError) {
    func failure(_ reason: String) -> DirectoryError {
      DirectoryError(.noInput, "cannot run the job's command: \(reason)")
    }
    let file: ScratchFile
    do throws(Errno) {
      file = try ScratchFile()
    } catch {
      throw DirectoryError(.cannotWrite, "cannot keep the output of the job's command: \(error)")
    }
    guard let stream = popen(command, "r") else { throw failure(String(cString: strerror(errno))) }
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var problem: Errno?
    while true {
      let count = fread(&buffer, 1, buffer.count, stream)
      guard count > 0 else { break }
      do { try file.descriptor.writeAll(buffer[..<count]) } catch { problem = error as? Errno }
    }
    let status = pclose(stream)
    guard status == 0 else {
      throw failure(
        status & 0x7F == 0 ? "it ended with exit status \(status >> 8 & 0xFF)" : "a signal ended it"
      )
    }
    guard problem == nil, lseek(file.descriptor.rawValue, 0, SEEK_SET) == 0,
      dup2(file.descriptor.rawValue, STDIN_FILENO) == STDIN_FILENO
    else { throw failure("\(problem ?? Errno(rawValue: errno))") }
  }
}

/// The file that a job's report goes to; it appears once the import has ended, however it ended.
package final class JobReport: Sendable {
  private let path: String
  private let isJSON: Bool
  private let file: Mutex<AtomicFile?>

  /// - Parameter path: Of JSON Lines if it ends with `.json` or `.jsonl`, otherwise of text.
  /// - Throws: `.cannotWrite`.
  package init(_ path: String) throws(DirectoryError) {
    self.path = path
    isJSON = path.hasSuffix(".json") || path.hasSuffix(".jsonl")
    do throws(Errno) {
      file = Mutex(
        try AtomicFile(target: FilePath(path), permissions: .ownerReadWrite, existing: .replaced)
      )
    } catch {
      throw Self.failure(path, error)
    }
  }

  package func add(_ lines: [ImportPlanLine]) throws(DirectoryError) {
    try add(lines.map { isJSON ? $0.json : $0.text })
  }

  /// Adds what is odd in the files, line by line.
  package func warn(_ warnings: [InputProblem]) throws(DirectoryError) {
    let isJSON = isJSON
    // Of many, some at a time.
    var rest = warnings[...]
    while !rest.isEmpty {
      try add(
        rest.prefix(1_000).map { isJSON ? $0.json : "warning: \($0.text { "<\($0)>" })" }
      )
      rest = rest.dropFirst(1_000)
    }
  }

  private func add(_ lines: [String]) throws(DirectoryError) {
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    do {
      try file.withLock { _ = try $0?.descriptor.writeAll(bytes) }
    } catch {
      throw Self.failure(path, error as? Errno ?? .ioError)
    }
  }

  /// Ends the report.
  ///
  /// - Parameter failure: What the import ended with, a line each, if it failed.
  /// - Throws: `.cannotWrite`.
  package func finish(_ failure: [String] = []) throws(DirectoryError) {
    if !failure.isEmpty {
      try add(
        isJSON
          ? [JSONLine.encode(["event": "error", "message": failure.joined(separator: "\n")])]
          : failure
      )
    }
    guard let file = file.withLock({ $0.take() }) else { return }
    do throws(Errno) {
      try file.commit()
    } catch {
      throw Self.failure(path, error)
    }
  }

  private static func failure(_ path: String, _ reason: Errno) -> DirectoryError {
    DirectoryError(.cannotWrite, "cannot write the report \(path): \(reason)")
  }
}

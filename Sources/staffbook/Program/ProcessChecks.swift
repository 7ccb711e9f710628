import DirectoryModel
import Platform
import Terminal

/// What the program was started with: its first three descriptors and its arguments.
enum ProcessChecks {
  /// Takes the place of standard input, output and error where they are closed.
  ///
  /// Otherwise the next file or connection to be opened gets the number, and what is meant for a
  /// person is written into it. Each is opened the wrong way round, so that using it still is the
  /// error that it should be (EBADF). Call it before anything is opened.
  static func occupyClosedDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is this one, since those below are taken.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Keeps libdispatch from writing to the system's log.
  ///
  /// A process that is not root cannot raise the priority of its manager's thread; it complained in
  /// the journal of each command. (swift-corelibs-libdispatch: `LIBDISPATCH_LOG`) Call it before
  /// there are threads.
  static func quietDispatch() {
    setenv("LIBDISPATCH_LOG", "NO", 0)
  }

  /// The most arguments of a search.
  ///
  /// Parsing takes time by the square of their number: 3 s for 10,000, which are refused anyway.
  private static let mostSearchArguments = 1_000

  /// Throws where an argument is not UTF-8: repaired, it would name another file; and where a search
  /// has too many of them.
  static func checkArguments() throws(DirectoryError) {
    let count = Int(CommandLine.argc) - 2
    if count > mostSearchArguments, let command = CommandLine.unsafeArgv[1],
      strcmp(command, "search") == 0
    {
      throw DirectoryError(
        .usage,
        "cannot search: there are \(count) arguments; the limit is \(mostSearchArguments)",
        advice: "shorten the query"
      )
    }
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[index],
        String(validatingCString: argument) == nil
      else { continue }
      throw DirectoryError(
        .usage,
        "cannot read argument \(index), \(String(cString: argument)): it is not UTF-8",
        advice: "rename the file, or give the name of a link to it"
      )
    }
  }
}

/// How signals are met: a closed pipe is an error of the write, all else ends the program at once.
///
/// An interrupt may come at any moment, since whatever is half done on disk is only beside what it
/// was to replace.
enum SignalDisposition {
  static func install() { OutputWriter.ignoreBrokenPipes() }
}

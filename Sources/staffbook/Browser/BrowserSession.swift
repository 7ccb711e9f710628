import Browsing
import ChangeHistory
import DirectoryModel
import DirectoryReading
import Dispatch
import LiveDirectory
import Platform
import Synchronization
import Terminal

/// Runs a full-screen front: keys in, frames out, and what takes time beside it.
///
/// One thread waits for keys, signals and results, and draws; searches, cards, syncs and the reading of
/// a new snapshot are tasks that leave their results in a mailbox.
final class BrowserSession {
  /// How long after an escape the rest of its sequence may come, in milliseconds.
  private static let escapePatience: CInt = 40
  /// How long keys must rest before the view is saved, in milliseconds.
  private static let savePatience: CInt = 1_500

  private let session: Session
  private let options: BrowserOptions
  private let profile: TerminalProfile
  private let mailbox: BrowserMailbox
  private var state: BrowserState { didSet { generation += 1 } }
  /// Counts what has happened to the state: what was worked out beside it may be of an earlier one.
  private var generation = 0
  /// What the saved view had open when it was last read or written here.
  private var saved: SavedView
  private var searchTask: Task<Void, Never>?
  private var searchNumber = 0
  /// Which outline the search that is on takes its matches into.
  private var searchedOutline = 0
  private var isSyncing = false
  /// Whether a key or another state may have changed what the saved view keeps.
  private var isTouched = false
  private var update = ScreenUpdate()
  /// What is said where nothing is drawn.
  private var lines: BrowserLines
  private var chosen: [Node]?

  init(
    _ session: Session,
    _ directory: Directory,
    _ options: BrowserOptions,
    profile: TerminalProfile
  ) throws {
    self.session = session
    self.options = options
    self.profile = profile
    lines = BrowserLines(profile)
    mailbox = try BrowserMailbox()
    saved = try SavedViews(session).view(of: directory)
    let outline = try DirectoryOutline(directory, saved)
    state = BrowserState(
      outline,
      size: Self.size(options.output),
      selected: try saved.selection.flatMap { try directory.node(of: $0) },
      purpose: options.purpose,
      keys: options.keys,
      viewer: session.viewerName
    )
    state.message = options.warning
    if let offset = saved.selection?.offset { state.scroll(toOffset: offset) }
  }

  /// Runs until the user quits.
  ///
  /// - Returns: The chosen nodes and the directory that they are of; `nil` where none were chosen.
  /// - Throws: Why there is no screen, or the snapshot is damaged.
  func run() throws -> (nodes: [Node], directory: Directory)? {
    guard
      var screen = FullScreen(
        input: options.input,
        output: options.output,
        isPlain: options.isPlain
      )
    else { throw DirectoryError(.usage, "the browser requires a terminal") }
    screen.enter()
    let (session, mailbox, shown) = (session, mailbox, state.outline.directory)
    let replacing = Task.detached {
      for await next in session.hub.replacements(of: shown, for: session) {
        mailbox.put(.snapshot(next))
      }
    }
    defer {
      replacing.cancel()
      searchTask?.cancel()
      save()
    }
    if let query = options.query { perform(state.beginSearch(for: query), &screen) }
    var decoder = KeyDecoder()
    while true {
      try draw(&screen)
      var patience: CInt = isTouched ? Self.savePatience : -1
      if decoder.isWaiting { patience = Self.escapePatience }
      let ready = wait(patience)
      if !ready.any, !decoder.isWaiting { save() }
      if ready.mail, try !receive(&screen) { return result }
      if ready.keys {
        guard let bytes = readKeys() else { break }
        decoder.append(bytes)
      }
      while let key = decoder.next(isFinal: !ready.any) {
        isTouched = true
        if try !perform(state.handle(key), &screen) { return result }
        // The next key would go to the help, which is not left standing.
        if options.isPlain, state.isHelpShown { try draw(&screen) }
      }
    }
    return nil
  }

  private var result: (nodes: [Node], directory: Directory)? {
    chosen.map { ($0, state.outline.directory) }
  }

  // MARK: Waiting

  private typealias Ready = (keys: Bool, mail: Bool, any: Bool)

  private func wait(_ patience: CInt) -> Ready {
    var requests = [
      pollfd(fd: options.input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let count = poll(&requests, nfds_t(requests.count), patience)
    guard count > 0 else { return (false, false, count < 0) }
    let ready = requests.map { $0.revents != 0 }
    return (ready[0], ready[1], true)
  }

  /// `nil` where the terminal was closed.
  private func readKeys() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(options.input, &bytes, bytes.count)
    if count > 0 { return Array(bytes.prefix(count)) }
    return count < 0 && errno == EINTR ? [] : nil
  }

  private static func size(_ output: CInt) -> ScreenSize {
    let profile = TerminalProfile(descriptor: output, environment: [:])
    return ScreenSize(columns: profile.columns ?? 80, rows: profile.rows ?? 24)
  }

  // MARK: Drawing

  private func draw(_ screen: inout FullScreen) throws {
    guard !options.isPlain else {
      for line in try lines.next(state) { screen.write(Array("\(line)\n".utf8)) }
      // It was said whole: the next key is one of the tree.
      if state.isHelpShown { state.leaveHelp() }
      return
    }
    screen.write(update.bytes(showing: try BrowserScreen(profile).frame(of: state)))
  }

  // MARK: What comes

  /// - Returns: Whether to go on.
  private func receive(_ screen: inout FullScreen) throws -> Bool {
    for item in mailbox.take() {
      switch item {
      case .signal(SIGWINCH):
        state.resize(to: Self.size(options.output))
        update.invalidate()
      case .signal(SIGCONT): update.invalidate()
      case .signal: return false
      case .found(let found): if !take(found, &screen) { return false }
      case .cannotSearch(let query, let reason): state.cannotSearch(query, reason)
      case .card(let card): state.show(card)
      case .whoSet(let text, let node, let line): state.noteWhoSet(text, of: node, line: line)
      case .snapshot(let directory): follow(directory)
      case .followed(let followed): try take(followed, &screen)
      case .cannotFollow(let reason): state.message = reason
      case .synced(let text):
        isSyncing = false
        state.message = text
      }
    }
    return true
  }

  /// Works out beside the keys what becomes of the state in the next directory.
  private func follow(_ next: Directory, attempt: Int = 1) {
    guard next.checksum != state.outline.directory.checksum else { return }
    let (state, generation, mailbox) = (state, generation, mailbox)
    Task.detached {
      do {
        let followed = try StateUpdate(
          state,
          to: next,
          generation: generation,
          attempt: attempt
        )
        mailbox.put(.followed(followed))
      } catch {
        mailbox.put(.cannotFollow(DirectoryError(describing: error).message))
      }
    }
  }

  private func take(_ followed: StateUpdate, _ screen: inout FullScreen) throws {
    let next = followed.state.outline.directory
    if followed.generation == generation {
      state = followed.state
      perform(followed.effects, &screen)
    } else if followed.attempt < Self.attemptsBeside {
      return follow(next, attempt: followed.attempt + 1)
    } else {
      perform(try state.follow(to: next), &screen)
    }
    state.message = state.message ?? "The directory was updated."
  }

  /// The user who types without a pause gets the next directory while the keys wait.
  private static let attemptsBeside = 4

  // MARK: What is done beside the screen

  /// - Returns: Whether to go on.
  @discardableResult
  private func perform(_ effects: [BrowserEffect], _ screen: inout FullScreen) -> Bool {
    for effect in effects {
      switch effect {
      case .search(let query): search(query)
      case .cancelSearch: searchTask?.cancel()
      case .card(let node): readCard(node)
      case .blame(let node, let items, let line): findWhoSet(items, of: node, line)
      case .copy(let text): copy(text, &screen)
      case .mail(let addresses): mail(addresses, &screen)
      case .run(let words): runStaffbook(words, &screen)
      case .sync: sync()
      case .suspend: suspend(&screen)
      case .choose(let nodes):
        chosen = nodes
        return false
      case .quit: return false
      }
    }
    return true
  }

  private func search(_ query: String) {
    searchTask?.cancel()
    searchNumber += 1
    searchedOutline = state.outlineNumber
    let (outline, rows, number, mailbox) = (state.outline, state.size.rows, searchNumber, mailbox)
    searchTask = Task.detached {
      do {
        try await QueryMatches.search(query, in: outline, rows: rows, number: number) {
          mailbox.put(.found($0))
        }
      } catch let error as DirectoryError {
        if error.kind != .interrupted { mailbox.put(.cannotSearch(query, error.message)) }
      } catch {}
    }
  }

  /// - Returns: Whether to go on.
  private func take(_ found: QueryMatches, _ screen: inout FullScreen) -> Bool {
    guard found.number == searchNumber else { return true }
    guard found.outline.directory.checksum == state.outline.directory.checksum else {
      if state.query == found.matches.query { search(found.matches.query) }
      return true
    }
    let isSame = state.outlineNumber == searchedOutline
    let effects = state.found(
      found.matches,
      best: found.best,
      filtered: isSame ? found.outline : nil
    )
    if isSame { searchedOutline = state.outlineNumber }
    return perform(effects, &screen)
  }

  private func readCard(_ node: Node) {
    let (directory, mailbox) = (state.outline.directory, mailbox)
    Task.detached {
      if let card = try? BrowserCard(of: node, in: directory) { mailbox.put(.card(card)) }
    }
  }

  private func findWhoSet(_ items: [Change.Item], of node: Node, _ line: Int) {
    let (session, directory, mailbox) = (session, state.outline.directory, mailbox)
    Task.detached {
      var text: String
      do {
        let report = try await HistoryReader(session).blame("id:\(directory.listRow(at: node).id)")
        text = HistoryText.whoSet(report.lastLine(of: items), since: report.beginning)
      } catch {
        text = DirectoryError(describing: error).message
      }
      mailbox.put(.whoSet(text, node: node, line: line))
    }
  }

  private func sync() {
    guard !isSyncing else { return }
    isSyncing = true
    state.message = "Updating from the database …"
    let (session, mailbox) = (session, mailbox)
    Task.detached {
      do {
        _ = try await SnapshotSync(Administrator(session, to: "sync")).sync(SyncOptions()) { _ in }
        mailbox.put(.synced("The directory is up to date."))
      } catch {
        mailbox.put(.synced(DirectoryError(describing: error).message))
      }
    }
  }

  private func mail(_ addresses: [String], _ screen: inout FullScreen) {
    guard let link = MailtoURL.uri(to: addresses) else {
      state.message = "There is no usable email address."
      return
    }
    // What it complains about may quote the link, and a program with windows writes on, long after it has
    // been opened; one without a display needs the terminal.
    let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains {
      Messages.environment[$0]?.isEmpty == false
    }
    let status = run(
      "/usr/bin/env",
      ["env", "xdg-open", link],
      &screen,
      discarding: hasDisplay ? [STDOUT_FILENO, STDERR_FILENO] : [STDERR_FILENO]
    )
    guard let status, status != 0 else { return }
    let noun = addresses.count == 1 ? "address" : "addresses"
    state.message = "No mail program could be opened; \(noun) copied."
    copy(addresses.joined(separator: ", "), &screen, after: "No mail program could be opened. ")
  }

  /// Copies a text, or says, after `failure`, that this terminal cannot.
  private func copy(_ text: String, _ screen: inout FullScreen, after failure: String = "") {
    guard profile.canRedraw else {
      let text = text.split(separator: "\n").joined(separator: ", ")
      state.message = "\(failure)This terminal cannot copy: \(text)"
      return
    }
    screen.write(Clipboard.sequence(copying: text))
  }

  private func runStaffbook(_ words: [String], _ screen: inout FullScreen) {
    save()
    let edits = words.first == "edit"
    // How far a sync has come is drawn; this one only says when it is done.
    let syncs = edits && options.isPlain && options.viewer == nil
    var arguments = ["staffbook"] + words + options.arguments
    if syncs { arguments.append("--no-sync") }
    // What reads shows no more than is seen here.
    if let viewer = options.viewer, !edits { arguments.append("--as=\(viewer)") }
    _ = run(options.program, arguments, &screen, waitsForKey: true)
    if syncs { sync() }
  }

  /// Gives the terminal to another program until it has ended.
  ///
  /// - Returns: Its exit status; `nil` where it could not be started.
  private func run(
    _ path: String,
    _ arguments: [String],
    _ screen: inout FullScreen,
    discarding discarded: [Int32] = [],
    waitsForKey: Bool = false
  ) -> Int32? {
    screen.lend()
    defer {
      screen.enter()
      update.invalidate()
      lines.invalidate()
    }
    do throws(OutputError) {
      let program = try ChildProgram(
        path: path,
        arguments: arguments,
        environment: environment,
        discarding: discarded
      )
      let status = program.wait()
      if waitsForKey {
        screen.takeKeys()
        screen.write(Array("\nPress any key to go back.\(options.isPlain ? "\n" : "")".utf8))
        waitForKey()
        // The program may have gone to the other screen and back, where the line would stay.
        if !options.isPlain { screen.write(Array("\r\u{1B}[K".utf8)) }
      }
      return status
    } catch {
      state.message = "cannot start \(arguments[0]): \(error)"
      return nil
    }
  }

  /// A pager moves the cursor, and an editor leaves the other screen for the one that was there before.
  private var environment: [String: String] {
    var environment = Messages.environment
    environment[options.isPlain ? "STAFFBOOK_PAGER" : TextEditor.otherScreen] = ""
    return environment
  }

  /// Waits for a key, or for a signal that ends the program; what else comes meanwhile is left for later.
  private func waitForKey() {
    var others: [BrowserMailbox.Item] = []
    defer { for item in others { mailbox.put(item) } }
    while true {
      let ready = wait(-1)
      if ready.keys {
        _ = readKeys()
        return
      }
      if ready.mail { others += mailbox.take() }
      for case .signal(let signal) in others where ![SIGWINCH, SIGCONT].contains(signal) { return }
    }
  }

  private func suspend(_ screen: inout FullScreen) {
    save()
    screen.leave()
    raise(SIGSTOP)
    screen.enter()
    update.invalidate()
    lines.invalidate()
    state.resize(to: Self.size(options.output))
  }

  // MARK: The saved view

  private func currentView() throws -> SavedView {
    var view = try (state.outlineWithoutSearch).view
    view.selection = try state.selected.map {
      try state.outline.directory.selection(of: $0, offset: (state.selectedRow ?? 0) - state.top)
    }
    return view
  }

  /// Brings what was opened and closed here into the saved view: what others did meanwhile stays.
  private func save() {
    guard isTouched else { return }
    isTouched = false
    // What is open for other eyes is not how one left one's own tree.
    guard options.purpose == .browse, session.viewerName == nil, let view = try? currentView(),
      view != saved
    else { return }
    let opened = view.expanded.subtracting(saved.expanded)
    let closed = saved.expanded.subtracting(view.expanded)
    saved = view
    let (session, directory) = (session, state.outline.directory)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      _ = try? await SavedViews(session).change(of: directory) { stored in
        stored.expanded.formUnion(opened)
        stored.expanded.subtract(closed)
        stored.selection = view.selection
      }
      done.signal()
    }
    done.wait()
  }
}

import SiteSettings
import DirectoryModel
import DirectoryStore
import Synchronization

/// Whom a token lets in.
package struct TokenHolder: Hashable, Sendable {
  package var viewer: Viewer
  /// The person, behind the id: the token does not let in another who has the id; `nil` for a device.
  package var identity: RecordIdentity?
  package var scope: TokenScope
  /// The token's number, by which what is known of its holder may be kept: no other token has it.
  package var token: Int64
}

/// Who holds which token, for a program that answers for others.
///
/// All tokens are in memory, as the database had them a few seconds ago: a question waits for a read
/// where the last one is older, or for the one under way, and for no more than that. While they cannot
/// be read, the last list answers for some minutes; then no token is accepted. The last use of a token is
/// noted beside the questions.
package final class TokenHolders: Sendable {
  /// A revoked token is refused after so long while the database can be reached.
  ///
  /// Less than the five seconds that are promised, as a stream asks once a second, and reading takes a
  /// moment.
  package static let freshness = Duration.seconds(3)
  /// For so long tokens are believed while they cannot be read.
  package static let outage = Duration.seconds(15 * 60)
  /// How long a question waits for a read; one that takes longer goes on without it.
  package static let patience = Duration.seconds(5)
  /// How long it is until use is noted again where that failed.
  private static let pause = Duration.seconds(60)

  private struct TokenList {
    var tokens: [TokenHash: KnownToken]
    /// When the read began: what was revoked later it may not know.
    var readAt: ContinuousClock.Instant
    /// Tokens whose use was noted since.
    var noted: Set<Int64> = []
  }

  private struct State {
    var known: TokenList?
    /// When the last read began.
    var begunAt: ContinuousClock.Instant?
    var isReading = false
    /// Questions that wait for the read; `nil` once it has taken too long.
    var waiting: [CheckedContinuation<Void, Never>]?
    /// Why the last read failed, or the one under way takes too long.
    var failure: DirectoryError?
    var isFailureTold = false
    /// Tokens that were used and are to be noted.
    var used: Set<Int64> = []
    var isNoting = false
    var notesAgainAt: ContinuousClock.Instant?
  }

  private let site: Site
  private let freshness: Duration
  private let outage: Duration
  private let patience: Duration
  private let state = Mutex(State())

  /// - Parameters:
  ///   - administrator: The program's own.
  ///   - freshness: How old the list may be.
  ///   - outage: How old it may be while it cannot be read.
  ///   - patience: How long a question waits for it.
  package init(
    _ administrator: Administrator,
    freshness: Duration = TokenHolders.freshness,
    outage: Duration = TokenHolders.outage,
    patience: Duration = TokenHolders.patience
  ) {
    site = administrator.site
    (self.freshness, self.outage, self.patience) = (freshness, outage, patience)
  }

  /// Whom a text lets in; a wrong one takes as long as a right one.
  ///
  /// - Parameter text: What was presented as a token.
  /// - Returns: `nil` for an unknown, an expired and a removed token.
  /// - Throws: `.unavailable` and the like if that is not known, so that the token is not accepted.
  package func holder(of text: String) async throws(DirectoryError) -> TokenHolder? {
    let hash = TokenHash(of: text)
    guard site.settings.source.queries == nil else { return nil }
    await refresh()
    let now = ContinuousClock.now
    let (token, failure) = state.withLock { state -> (KnownToken?, DirectoryError?) in
      guard let known = state.known, state.failure == nil || now - known.readAt < outage else {
        return (nil, state.failure)
      }
      guard let token = known.tokens[hash], token.remaining.map({ now < known.readAt + $0 }) ?? true
      else { return (nil, nil) }
      if !token.isNoted, !known.noted.contains(token.id) { state.used.insert(token.id) }
      return (token, nil)
    }
    if let failure { throw failure }
    guard let token else { return nil }
    noteUse()
    return TokenHolder(
      viewer: token.holder,
      identity: token.identity,
      scope: token.scope,
      token: token.id
    )
  }

  // MARK: Reading

  /// Begins a read where one is due, and waits for the one under way.
  private func refresh() async {
    await withCheckedContinuation { turn in
      let (begunAt, waits) = state.withLock { state in
        let now = ContinuousClock.now
        let begins = !state.isReading && state.begunAt.map { now - $0 >= freshness } ?? true
        if begins { (state.isReading, state.begunAt, state.waiting) = (true, now, []) }
        state.waiting?.append(turn)
        return (begins ? now : nil, state.waiting != nil)
      }
      if !waits { turn.resume() }
      // A read is for all who ask, and ends with none of them.
      if let begunAt { Task { await read(begunAt) } }
    }
  }

  private func read(_ begunAt: ContinuousClock.Instant) async {
    let limit = Task {
      try await Task.sleep(for: patience)
      endWaiting { state in
        guard state.isReading, state.begunAt == begunAt else { return false }
        state.failure = DirectoryError(
          .unavailable,
          "cannot \(Self.doing): the database does not answer"
        )
        return true
      }
    }
    let read: Result<[TokenHash: KnownToken], DirectoryError>
    do throws(DirectoryError) {
      read = .success(try await reader().tokens())
    } catch {
      read = .failure(error)
    }
    limit.cancel()
    var news: Advice?
    endWaiting { state in
      state.isReading = false
      switch read {
      case .success(let tokens):
        state.known = TokenList(tokens: tokens, readAt: begunAt)
        if state.isFailureTold { news = "the tokens can be read again" }
        (state.failure, state.isFailureTold) = (nil, false)
      case .failure(let error):
        if !state.isFailureTold {
          news = error.advice.map { "\(error.message); \($0)" } ?? Advice(error.message)
        }
        (state.failure, state.isFailureTold) = (error, true)
      }
      return true
    }
    if let news { site.tell(news) }
  }

  /// Lets the questions that wait for a read go on, unless the change says that they are not meant.
  private func endWaiting(_ change: (inout State) -> Bool) {
    let waiting = state.withLock { state in
      guard change(&state) else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiting = nil }
      return state.waiting ?? []
    }
    for turn in waiting { turn.resume() }
  }

  private static let doing = "read the tokens"

  private func reader() async throws(DirectoryError) -> TokenReader {
    TokenReader(
      conninfo: try await site.conninfoAsIs(starting: false, doing: Self.doing),
      access: DatabaseAccess(pool: site.pool, silenceLimit: patience)
    )
  }

  // MARK: Noting

  /// Notes what was used, with what will be used in the next seconds.
  private func noteUse() {
    let begins = state.withLock { state in
      guard !state.isNoting, !state.used.isEmpty, state.notesAgainAt.map({ $0 <= .now }) ?? true
      else { return false }
      state.isNoting = true
      return true
    }
    guard begins else { return }
    Task {
      try? await Task.sleep(for: freshness)
      let ids = state.withLock { $0.used }
      let isNoted = (try? await reader().noteUse(of: ids.sorted())) != nil
      state.withLock { state in
        state.isNoting = false
        state.used.subtract(ids)
        if isNoted { state.known?.noted.formUnion(ids) }
        state.notesAgainAt = isNoted ? nil : .now + Self.pause
      }
    }
  }
}

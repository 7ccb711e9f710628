import FoundationEssentials
import Testing

@testable import DirectoryStore

@Suite("A watermark")
struct WatermarkTests {
  private let watermark = SourceWatermark(
    systemIdentifier: "7300000000000000001",
    layout: "00ff",
    epoch: "7b5b3b0e-0000-4000-8000-000000000001",
    xmin: 1_000,
    seen: [
      LedgerEntry(transaction: 1_001, token: LedgerToken(high: 1, low: .max)),
      LedgerEntry(transaction: 1_004, token: LedgerToken(high: .max, low: 2)),
    ],
    proof: LedgerProof(
      from: 900,
      digest: "abcd",
      batches: [LedgerBatch(count: 2, lowest: 990), LedgerBatch(count: 7, lowest: 900)]
    )
  )

  @Test func `survives as JSON`() throws {
    let json = try JSONEncoder().encode(watermark)
    #expect(try JSONDecoder().decode(SourceWatermark.self, from: json) == watermark)
  }

  @Test(arguments: ["1 2", "1 2 3 4", "1 2 x", "1 2 -3", ""])
  func `is not read where an entry is not three numbers`(text: String) throws {
    let json = String(decoding: try JSONEncoder().encode(watermark), as: UTF8.self)
    let other = json.replacing("1001 1 18446744073709551615", with: text)
    try #require(other != json)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(SourceWatermark.self, from: Data(other.utf8))
    }
  }

  @Test func `writes a token as PostgreSQL does`() {
    let token = LedgerToken(high: 0x0123_4567_89AB_CDEF, low: 0x00FE_DCBA_9876_5432)
    #expect(token.description == "01234567-89ab-cdef-00fe-dcba98765432")
  }
}

@Suite("The proof that nothing was lost")
struct ProofTests {
  private let first = LedgerProof(
    from: 500,
    digest: "old",
    batches: [LedgerBatch(count: Int(UInt32.max), lowest: 500)]
  )

  @Test func `reaches down to the newest batches in the order of being seen`() {
    var proof = first.advanced(by: [600, 700], below: 650, limit: 4)
    #expect(proof.from == 500)
    #expect(proof.batches.map(\.lowest) == [600, 500])
    proof = proof.advanced(by: [], below: 720, limit: 4)
    #expect(proof.from == 500)
    // One of a low number came late, and counts as late.
    proof = proof.advanced(by: [520, 730], below: 740, limit: 4)
    #expect(proof.from == 520)
    #expect(proof.batches.map(\.lowest) == [520, 600])
    proof = proof.advanced(by: [800, 801, 802, 803], below: 810, limit: 4)
    #expect(proof.from == 800)
    #expect(proof.batches.map(\.count) == [4])
  }

  @Test func `never reaches above the watermark`() {
    #expect(first.advanced(by: [700, 701], below: 510, limit: 1).from == 510)
    #expect(first.advanced(by: [], below: 450, limit: 1).from == 450)
  }
}

@Suite("The verdict on a source")
struct VerdictTests {
  private static let token = LedgerToken(high: 7, low: 7)
  private let watermark = SourceWatermark(
    systemIdentifier: "1",
    layout: "l",
    epoch: "e",
    xmin: 100,
    seen: [103, 105].map { LedgerEntry(transaction: $0, token: token) },
    proof: LedgerProof(from: 50, digest: "d", batches: [LedgerBatch(count: 9, lowest: 50)])
  )
  private var facts: SourceFacts {
    SourceFacts(
      systemIdentifier: "1",
      layout: "l",
      epoch: "e",
      xmin: 100,
      xmax: 110,
      prunedBelow: 0,
      isStandby: false,
      takenAt: 0,
      transactionLimit: 9,
      entries: entries([97, 100, 103, 105, 109]),
      digest: "d",
      brokenTriggers: []
    )
  }

  private func entries(_ transactions: [UInt64]) -> [LedgerEntry] {
    transactions.map { LedgerEntry(transaction: $0, token: Self.token) }
  }

  private func verdict(
    standby: Bool = false,
    _ change: (inout SourceFacts) -> Void = { _ in }
  ) -> IncrementalReadCheck {
    var facts = facts
    facts.isStandby = standby
    change(&facts)
    return IncrementalReadCheck(facts, since: watermark)
  }

  @Test func `lists what is new and neither seen nor settled`() {
    #expect(verdict() == .changes([100, 109]))
    #expect(verdict { $0.entries = entries([103, 105]) } == .changes([]))
  }

  @Test func `is to read everything when something seen is missing or differs`() {
    #expect(verdict { $0.entries = entries([103]) } == .everything(.lostTransaction))
    #expect(verdict { $0.entries = entries([104, 105]) } == .everything(.lostTransaction))
    #expect(verdict { $0.entries = [] } == .everything(.lostTransaction))
    #expect(
      verdict { $0.entries[2].token = LedgerToken(high: 7, low: 8) }
        == .everything(.lostTransaction)
    )
    #expect(verdict { $0.digest = "x" } == .everything(.lostTransaction))
  }

  @Test func `is to wait when a standby lacks something`() {
    #expect(verdict(standby: true) { $0.digest = "x" } == .behind(.standbyBehind))
    #expect(verdict(standby: true) { $0.entries = [] } == .behind(.standbyBehind))
    #expect(verdict(standby: true) { $0.epoch = "x" } == .behind(.otherEpoch))
    #expect(verdict(standby: true) { $0.systemIdentifier = "2" } == .everything(.otherSystem))
  }

  @Test func `is to read everything while triggers are off, once a standby has what was read`() {
    let broken = ComparisonReason.brokenTriggers(["users.bury_deleted"])
    for standby in [false, true] {
      #expect(
        verdict(standby: standby) { $0.brokenTriggers = ["users.bury_deleted"] }
          == .everything(broken)
      )
    }
    let behind = verdict(standby: true) {
      $0.brokenTriggers = ["users.bury_deleted"]
      $0.entries = []
    }
    #expect(behind == .behind(.standbyBehind))
  }

  @Test func `names what is another`() {
    #expect(IncrementalReadCheck(facts, since: nil) == .everything(.firstSync))
    #expect(verdict { $0.systemIdentifier = "2" } == .everything(.otherSystem))
    #expect(verdict { $0.layout = "x" } == .everything(.otherLayout))
    #expect(verdict { $0.epoch = "x" } == .everything(.otherEpoch))
    #expect(verdict { $0.access = "x" } == .everything(.otherAccess))
    #expect(verdict(standby: true) { $0.access = "x" } == .everything(.otherAccess))
    // What a standby lacks is waited for first: its policies may be those of before.
    let late = verdict(standby: true) { ($0.access, $0.digest) = ("x", "another") }
    #expect(late == .behind(.standbyBehind))
    #expect(verdict { $0.prunedBelow = 51 } == .everything(.prunedTooFar))
    #expect(verdict { $0.prunedBelow = 50 } == .changes([100, 109]))
    // Beyond all its own transactions: a dump's from elsewhere.
    #expect(verdict { $0.prunedBelow = 110 } == .changes([100, 109]))
  }
}

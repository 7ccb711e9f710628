import DirectoryModel
import Testing

@Suite("Hashing rows as PostgreSQL does")
struct RowDigestTests {
  private static let text = "Störungsdienst – 灯台守 #42 of the lamp works"

  /// `hashtextextended(substr(text, 1, length), seed)` of PostgreSQL 15.
  struct Vector: Sendable {
    var length: Int
    var seed: Int64
    var hash: Int64
  }

  static let vectors: [Vector] = [
    Vector(length: 0, seed: -1, hash: -5_142_811_166_230_430_645),
    Vector(length: 12, seed: -1, hash: -1_462_425_263_567_682_933),
    Vector(length: 44, seed: -1, hash: -7_196_544_185_084_931_950),
    Vector(length: 0, seed: 0, hash: -6_939_563_903_564_495_251),
    Vector(length: 1, seed: 0, hash: 7_012_039_239_879_482_819),
    Vector(length: 2, seed: 0, hash: 750_799_206_008_748_750),
    Vector(length: 3, seed: 0, hash: -936_540_497_869_378_768),
    Vector(length: 4, seed: 0, hash: 5_405_909_778_060_356_849),
    Vector(length: 5, seed: 0, hash: -3_702_183_252_291_059_750),
    Vector(length: 8, seed: 0, hash: 5_347_961_915_607_736_155),
    Vector(length: 9, seed: 0, hash: -979_344_132_672_804_805),
    Vector(length: 12, seed: 0, hash: 158_664_568_143_749_524),
    Vector(length: 17, seed: 0, hash: -928_361_574_486_453_529),
    Vector(length: 30, seed: 0, hash: 8_319_246_148_633_146_205),
    Vector(length: 44, seed: 0, hash: -263_551_627_129_800_775),
    Vector(length: 0, seed: 1, hash: -150_071_773_020_461_347),
    Vector(length: 8, seed: 1, hash: 9_183_609_069_453_419_062),
    Vector(length: 17, seed: 81_985_529_216_486_895, hash: -7_446_642_214_941_705_771),
    Vector(length: 44, seed: 81_985_529_216_486_895, hash: -3_132_883_823_767_947_092),
  ]

  @Test(arguments: vectors)
  func `text hashes as on a server`(_ vector: Vector) {
    let scalars = Self.text.unicodeScalars.prefix(vector.length)
    var text = String(String.UnicodeScalarView(scalars))
    let hash = text.withUTF8 {
      PostgresHash.extended(UnsafeRawBufferPointer($0), seed: UInt64(bitPattern: vector.seed))
    }
    #expect(Int64(bitPattern: hash) == vector.hash)
  }

  @Test func `a row's hash is the chain of its columns' hashes`() {
    let record = DepartmentRecord(
      id: DepartmentID("d1"),
      parent: nil,
      name: "Lamps",
      description: "about lamps",
      sortOrder: 7
    )
    // hashtextextended('7', hashtextextended('{}', hashtextextended('', hashtextextended('about …
    #expect(RowHash(of: record).value == 15_741_762_166_625_074_862)
  }

  @Test func `a row's hash has its identity before the declared fields`() {
    let identity = RecordIdentity("0d2c8a1e-5b77-4c1b-9a52-7e3f1c0b6d94")
    let department = DepartmentRecord(
      id: DepartmentID("d1"),
      parent: nil,
      name: "Lamps",
      description: "about lamps",
      sortOrder: 7,
      identity: identity
    )
    #expect(RowHash(of: department).value == 9_122_347_315_520_497_619)
    let user = UserRecord(
      id: UserID("u1"),
      primaryDepartment: DepartmentID("d1"),
      name: "Ada Lund",
      contacts: [.email: "ada@lumen.example"],
      identity: identity
    )
    #expect(RowHash(of: user).value == 16_962_103_312_533_273_874)
  }

  @Test func `a digest does not know the order of its rows, and knows each of them`() {
    let hashes = ["a", "b", "c"].map {
      RowHash(
        of: UserRecord(id: UserID($0), primaryDepartment: DepartmentID("d"), name: "same")
      )
    }
    var forwards = RowDigest()
    for hash in hashes { forwards.add(hash) }
    var backwards = RowDigest()
    for hash in hashes.reversed() { backwards.add(hash) }
    #expect(forwards == backwards)
    #expect(forwards.low == hashes.reduce(0) { $0 + $1.value & 0xFFFF_FFFF })
  }
}

import DirectoryTestSupport
import TestSupport
import DirectoryModel
import Seeds
import SystemPackage
import Testing

@testable import DirectorySnapshot

@Suite("A damaged snapshot")
struct DamageTests {
  private func company() throws -> Fixture {
    var fixture = Fixture()
    try fixture.department("root", name: "Lumen")
    try fixture.department("optics", under: "root", name: "Optics")
    try fixture.department("empty", under: "root", name: "Überbau")
    try fixture.department("lost", under: "nowhere", name: "Lost")
    for index in 0..<5 { try fixture.user("u\(index)", in: "optics", name: "Person \(index)") }
    try fixture.member("u3", of: "root")
    return fixture
  }

  /// A directory whose columns lie in blocks of their own.
  private func blocks() throws -> Fixture {
    var fixture = Fixture()
    try fixture.department("root")
    for index in 0..<Self.crowd {
      let name = String(repeating: "x", count: Self.nameLength - 5) + "\(10_000 + index)"
      try fixture.user("u\(index)", in: "root", name: name, order: Int64(index))
    }
    return fixture
  }

  private static let crowd = 2_000
  private static let nameLength = 100

  /// Offsets of bytes to flip: all of them, or some where there is less time.
  private static func places(in image: SnapshotImage) -> StrideTo<Int> {
    let step = rounds(8, thorough: 1)
    return stride(from: .random(in: 0..<step), to: image.bytes.count, by: step)
  }

  /// What all reading paths of a file come to: its contents, or why not.
  private func contents(of path: FilePath) -> Result<SnapshotContents, SnapshotError> {
    Result { () throws(SnapshotError) in try SnapshotContents(DirectorySnapshot(path: path)) }
  }

  private func verified(_ path: FilePath) -> SnapshotError? {
    do throws(SnapshotError) {
      try DirectorySnapshot(path: path).verify()
      return nil
    } catch {
      return error
    }
  }

  @Test func `any flipped byte is noticed`() throws {
    let folder = try ScratchFolder()
    try company().tree().write(to: folder.snapshot, metadata: anyMetadata)
    let sound = try SnapshotImage(of: folder.snapshot)
    for offset in Self.places(in: sound) {
      var broken = sound
      broken.bytes[offset] ^= UInt8(1 << (offset % 8))
      try broken.write(to: folder.snapshot)
      #expect(verified(folder.snapshot) != nil, "byte \(offset)")
    }
  }

  @Test func `any flipped byte is an error or another text where checksums fit, and no trap`()
    throws
  {
    let folder = try ScratchFolder()
    try company().tree().write(to: folder.snapshot, metadata: anyMetadata)
    let sound = try SnapshotImage(of: folder.snapshot)
    for offset in Self.places(in: sound) {
      var forged = sound
      forged.bytes[offset] ^= UInt8(1 << (offset * 5 % 8))
      forged.seal()
      try forged.write(to: folder.snapshot)
      _ = contents(of: folder.snapshot)
      _ = verified(folder.snapshot)
    }
  }

  @Test func `no reading path of a damaged file says anything but the truth`() throws {
    let folder = try ScratchFolder()
    try blocks().tree().write(to: folder.snapshot, metadata: anyMetadata)
    let truth = try contents(of: folder.snapshot).get()
    let sound = try SnapshotImage(of: folder.snapshot)
    for section in sound.sections where !section.bytes.isEmpty {
      let middle = (section.bytes.lowerBound + section.bytes.upperBound) / 2
      for offset in [section.bytes.lowerBound, middle, section.bytes.upperBound - 1] {
        var broken = sound
        broken.bytes[offset] ^= 0x10
        try broken.write(to: folder.snapshot)
        #expect(verified(folder.snapshot) != nil, "byte \(offset)")
        if case .success(let said) = contents(of: folder.snapshot) {
          #expect(said == truth, "byte \(offset)")
        }
      }
    }
  }

  @Test func `a file cut short anywhere is noticed`() throws {
    let folder = try ScratchFolder()
    try company().tree().write(to: folder.snapshot, metadata: anyMetadata)
    var image = try SnapshotImage(of: folder.snapshot)
    while !image.bytes.isEmpty {
      image.bytes.removeLast()
      try image.write(to: folder.snapshot)
      let count = image.bytes.count
      #expect(throws: SnapshotError.self, "\(count) bytes") {
        try DirectorySnapshot(path: folder.snapshot)
      }
    }
    #expect(verified(folder.snapshot) == .foreign(folder.snapshot))
  }

  @Test func `a file grown longer is noticed`() throws {
    let folder = try ScratchFolder()
    try company().tree().write(to: folder.snapshot, metadata: anyMetadata)
    var image = try SnapshotImage(of: folder.snapshot)
    image.bytes.append(contentsOf: [UInt8](repeating: 0, count: 8))
    try image.write(to: folder.snapshot)
    #expect(verified(folder.snapshot) == .damaged(folder.snapshot, part: "header"))
  }

  @Test func `a hole of zeros is noticed, and names the section`() throws {
    let folder = try ScratchFolder()
    try company().tree().write(to: folder.snapshot, metadata: anyMetadata)
    var image = try SnapshotImage(of: folder.snapshot)
    let names = try image.section(.userNamesText).bytes
    for offset in names { image.bytes[offset] = 0 }
    try image.write(to: folder.snapshot)
    // The block that holds them is met before with the metadata.
    #expect(verified(folder.snapshot) == .damaged(folder.snapshot, part: "metadataEnds"))
  }

  @Test func `stored numbers that lead astray are an error even where checksums fit`() throws {
    let folder = try ScratchFolder()
    let tree = try company().tree()
    for section in SnapshotSection.allCases {
      guard let wrong = Self.wrongElement(of: section) else { continue }
      try tree.write(to: folder.snapshot, metadata: anyMetadata)
      var image = try SnapshotImage(of: folder.snapshot)
      try image.setLastElement(of: section, to: wrong)
      image.seal()
      try image.write(to: folder.snapshot)
      let error = verified(folder.snapshot)
      guard case .damaged? = error else {
        Issue.record("\(section): \(String(describing: error))")
        continue
      }
      // Nor does anything trap that does not verify first.
      _ = contents(of: folder.snapshot)
    }
  }

  @Test func `sections that are missing, doubled or of other elements are an error`() throws {
    let folder = try ScratchFolder()
    try company().tree().write(to: folder.snapshot, metadata: anyMetadata)
    let sound = try SnapshotImage(of: folder.snapshot)
    for index in sound.sections.indices {
      let entry = 64 + 24 * index
      let other = sound.sections[index == 0 ? 1 : 0].id
      for (value, offset, size) in [
        (999, entry, 4), (UInt64(other), entry, 4), (2, entry + 4, 4), (0, entry + 4, 4),
        (UInt64.max, entry + 8, 8), (sound.number(at: entry + 8, size: 8) + 1, entry + 8, 8),
        (UInt64.max, entry + 16, 8), (1 << 40, entry + 16, 8),
      ] {
        var image = sound
        image.set(value, at: offset, size: size)
        image.seal()
        try image.write(to: folder.snapshot)
        #expect(verified(folder.snapshot) != nil, "\(value) at \(offset)")
        _ = contents(of: folder.snapshot)
      }
    }
  }

  @Test func `damage is met where it lies, and nowhere else`() throws {
    let folder = try ScratchFolder()
    try blocks().tree().write(to: folder.snapshot, metadata: anyMetadata)
    var image = try SnapshotImage(of: folder.snapshot)
    let names = try image.section(.userNamesText).bytes
    let row = Self.crowd / 2
    image.bytes[names.lowerBound + row * Self.nameLength] ^= 1
    try image.write(to: folder.snapshot)
    let snapshot = try DirectorySnapshot(path: folder.snapshot)
    let users = try snapshot.users()
    #expect(try users.names[0].hasSuffix("10000"))
    #expect(try users.names[Self.crowd - 1].hasSuffix("11999"))
    #expect(try snapshot.userIndex().row(of: "u1000") == row)
    let damaged = SnapshotError.damaged(folder.snapshot, part: "userNamesText")
    #expect(throws: damaged) { try users.names[row] }
    #expect(throws: damaged) { try users.names.verified() }
    #expect(throws: damaged) { try snapshot.verify() }
    // Again, though it was met before.
    #expect(throws: damaged) { try users.names[row] }
  }

  /// An element that points outside whatever it points into, or makes no tree.
  private static func wrongElement(of section: SnapshotSection) -> UInt64? {
    switch section {
    case .nodeParents, .nodeEnds, .nodeLevels, .nodeRecords, .departmentNodes, .unplacedNodes,
      .userLeafStarts, .userLeafNodes, .membershipUsers:
      0x7FFF_FFF0
    case .metadataEnds, .unplacedReasonsEnds, .departmentIDsEnds, .departmentNamesEnds,
      .departmentDescriptionsEnds, .userIDsEnds, .userNamesEnds, .userEmailsEnds, .userPhonesEnds,
      .membershipTitlesEnds, .fieldsEnds, .visibilityEnds, .departmentFieldsEnds, .userFieldsEnds,
      .departmentIdentitiesEnds, .userIdentitiesEnds:
      0xFFFF_FFF0
    case .nodeGroups: 0
    case .departmentIndex, .userIndex: 0x1234_5678_FFFF_FFF0
    case .metadataText, .unplacedReasonsText, .departmentIDsText, .departmentNamesText,
      .departmentDescriptionsText, .userIDsText, .userNamesText, .userEmailsText, .userPhonesText,
      .membershipTitlesText, .departmentSortOrders, .departmentPeople, .membershipSortOrders,
      .membershipPrimary, .fieldsText, .visibilityText, .departmentFieldsText, .userFieldsText,
      .membershipLeads, .departmentIdentitiesText, .userIdentitiesText:
      nil
    // Only in excerpts.
    case .departmentHiddenText, .departmentHiddenEnds, .departmentHidden, .userHiddenText,
      .userHiddenEnds, .userHidden:
      nil
    }
  }
}

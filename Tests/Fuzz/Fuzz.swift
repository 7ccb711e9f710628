import Platform
import SystemPackage

/// Where libFuzzer, whose `main` this program has, enters.
///
/// `STAFFBOOK_FUZZ` names the target. With `STAFFBOOK_FUZZ_SEEDS` the target's seeds are written to
/// that folder first. Source: "libFuzzer – a library for coverage-guided fuzz testing".
private let target: FuzzTarget = {
  let name = environment("STAFFBOOK_FUZZ") ?? ""
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    let known = FuzzTarget.all.map(\.name).joined(separator: " ")
    leave("STAFFBOOK_FUZZ names a target: \(known)", status: 64)
  }
  return target
}()

private func leave(_ message: String, status: CInt) -> Never {
  _ = try? FileDescriptor.standardError.writeAll(Array("\(message)\n".utf8))
  exit(status)
}

private func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
  if environment("STAFFBOOK_FUZZ_LIST") != nil {
    for target in FuzzTarget.all { print(target.name) }
    exit(0)
  }
  guard let folder = environment("STAFFBOOK_FUZZ_SEEDS") else { return 0 }
  do {
    for (index, seed) in try target.seeds().enumerated() {
      let file = try FileDescriptor.open(
        FilePath(folder).appending("seed-\(index)"),
        .writeOnly,
        options: [.create, .truncate],
        permissions: .ownerReadWrite
      )
      try file.closeAfter { _ = try file.writeAll(seed) }
    }
  } catch {
    leave("cannot write the seeds of \(target.name) to \(folder): \(error)", status: 74)
  }
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target.read(UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}

/// SplitMix64 of Sebastiano Vigna: small, fast, and the same on every machine.
///
/// The standard library's generator is seeded differently each time; a sample has to come out the
/// same.
struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// A generator of its own for the item `index` of `stream`, so that every item can be made
  /// alone and in any order.
  init(seed: UInt64, stream: UInt64, index: Int) {
    state = Self.mix(Self.mix(seed &+ stream &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(index))
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// A number below `bound`, by multiplication: the standard library does not promise that its
  /// own way from a generator to a range stays the same.
  mutating func below(_ bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// True once in `count` times.
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Lets so many in at a time, first come first served.
package actor Turnstile {
  private var places: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init(capacity: Int) { places = capacity }

  package func enter() async {
    guard places == 0 else {
      places -= 1
      return
    }
    let began = ContinuousClock.now
    await withCheckedContinuation { waiting.append($0) }
    TestMeasures.addWait(ContinuousClock.now - began)
  }

  package func leave() {
    guard !waiting.isEmpty else {
      places += 1
      return
    }
    waiting.removeFirst().resume()
  }
}

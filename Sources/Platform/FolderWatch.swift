/// Tells when a file of a folder is replaced, without looking again and again (inotify(7)).
///
/// The descriptor becomes readable when that may have happened; where the system has no such thing, or
/// no room for another watch, there is none, and the caller looks from time to time.
package struct FolderWatch: ~Copyable {
  package let descriptor: CInt?

  package init(folder: String) {
    #if os(Linux)
      let descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else {
        self.descriptor = nil
        return
      }
      guard inotify_add_watch(descriptor, folder, UInt32(IN_MOVED_TO)) >= 0 else {
        close(descriptor)
        self.descriptor = nil
        return
      }
      self.descriptor = descriptor
    #else
      descriptor = nil
    #endif
  }

  /// Forgets what was told so far.
  package func drain() {
    guard let descriptor else { return }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while read(descriptor, &bytes, bytes.count) > 0 {}
  }

  deinit { if let descriptor { close(descriptor) } }
}

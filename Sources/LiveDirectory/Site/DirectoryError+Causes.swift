import DirectoryModel
import DirectoryReading
import PrivateServer
import SystemPackage
import TextRules

extension DirectoryError {
  /// Any error as the one that crosses module borders; what we do not know is a bug of ours.
  package init(describing error: any Error) {
    switch error {
    case let error as DirectoryError: self = error
    case let error as PrivateServerError: self.init(error)
    case let error as TextRulesError: self.init(.usage, "\(error)")
    case is CancellationError: self.init(.interrupted, "interrupted")
    default:
      if let failure = DirectoryError(ofReading: error) {
        self = failure
        return
      }
      self.init(
        .bug,
        "internal error: \(error)",
        advice: "please report this, with the command that you ran"
      )
    }
  }
}

extension DirectoryError {
  /// What keeps our own PostgreSQL from running, as the directory's error.
  package init(_ error: PrivateServerError) {
    self.init(Self.kind(of: error), error.description, advice: Self.advice(on: error))
  }

  /// Who cannot have our own server can name another one.
  private static func advice(on error: PrivateServerError) -> Advice {
    switch error {
    case .postgresNotFound, .noServerAccount: "\(error.advice), or name a server with \(.database)"
    case .notUsable: "stop it with \(.stopServer) and try again"
    default: Advice(error.advice)
    }
  }

  private static func kind(of error: PrivateServerError) -> Kind {
    switch error.cause {
    case .diskFull, .readOnly: .cannotWrite
    case .notPermitted: .notPermitted
    case .other:
      switch error {
      case .untrustedFolder: .notPermitted
      case .cannotPrepare: .cannotWrite
      case .interrupted: .interrupted
      default: .unavailable
      }
    }
  }
}

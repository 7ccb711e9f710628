import DirectoryModel
import HTTPTypes

/// Why a request was not answered: RFC 9457.
package struct Problem: Error, Equatable {
  /// What sort it is; the last part of `type`.
  package enum Kind: String, Sendable, CaseIterable {
    case badRequest = "bad-request"
    case notSignedIn = "not-signed-in"
    case notPermitted = "not-permitted"
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case tooSlow = "too-slow"
    case gone
    case tooLarge = "too-large"
    case tooManyRequests = "too-many-requests"
    case internalError = "internal-error"
    case unavailable

    package var status: HTTPResponse.Status {
      switch self {
      case .badRequest: .badRequest
      case .notSignedIn: .unauthorized
      case .notPermitted: .forbidden
      case .notFound: .notFound
      case .methodNotAllowed: .methodNotAllowed
      case .tooSlow: .requestTimeout
      case .gone: .gone
      case .tooLarge: .contentTooLarge
      case .tooManyRequests: .tooManyRequests
      case .internalError: .internalServerError
      case .unavailable: .serviceUnavailable
      }
    }

    package var title: String {
      switch self {
      case .badRequest: "The request is not valid."
      case .notSignedIn: "Sign in first."
      case .notPermitted: "This is not permitted."
      case .notFound: "There is no such record or path."
      case .methodNotAllowed: "The path does not support this method."
      case .tooSlow: "The request took too long to arrive."
      case .gone: "The directory has been replaced; begin again."
      case .tooLarge: "The request is too large."
      case .tooManyRequests: "Too many requests; wait a moment."
      case .internalError: "The server failed; its log says why."
      case .unavailable: "This cannot be answered now."
      }
    }
  }

  package var kind: Kind
  /// What is wrong, with what, and why.
  package var detail: String?
  /// What to do about it.
  package var remedy: String?
  /// Seconds after which to try again.
  package var retryAfter: Int?
  package var headers = HTTPFields()

  package init(
    _ kind: Kind,
    _ detail: String? = nil,
    remedy: String? = nil,
    retryAfter: Int? = nil
  ) {
    (self.kind, self.detail, self.remedy, self.retryAfter) = (kind, detail, remedy, retryAfter)
  }

  private struct JSON: Encodable {
    var type: String
    var title: String
    var status: Int
    var detail: String?
    var remedy: String?
  }

  var reply: Reply {
    let json = JSON(
      type: "/problems/\(kind.rawValue)",
      title: kind.title,
      status: kind.status.code,
      detail: detail,
      remedy: remedy
    )
    var reply = Reply(JSONLine.encode(json).utf8, "application/problem+json", status: kind.status)
    reply.headers.append(contentsOf: headers)
    if let retryAfter { reply.headers[.retryAfter] = String(retryAfter) }
    if kind == .notSignedIn {
      // Basic is understood but not asked for, or browsers would ask for a password.
      reply.headers[.wwwAuthenticate] = "Bearer realm=\"staffbook\""
    }
    return reply
  }
}

extension Problem {
  /// What a use case could not do.
  ///
  /// What is wrong with the server's own files and database is told to its log and not to a caller.
  init(_ error: DirectoryError) {
    switch error.kind {
    case .notFound: self.init(.notFound)
    case .noInput: self.init(.gone)
    case .usage: self.init(.badRequest)
    case .notPermitted: self.init(.notPermitted)
    case .notSignedIn: self.init(.notSignedIn)
    case .unavailable, .refusedForNow, .interrupted: self.init(.unavailable, retryAfter: 5)
    case .badData, .bug, .cannotRead, .cannotWrite: self.init(.internalError)
    }
    guard [.notFound, .badRequest, .gone].contains(kind) else { return }
    detail = error.message
    remedy = error.advice.map { $0.text(\.interfaceWords) }
  }
}

extension Remedy {
  /// What to do about it over HTTP; other remedies are the administrator's.
  fileprivate var interfaceWords: String {
    switch self {
    case .searchLiterally(let text): "put it in double quotes: \"\(text)\""
    case .listDepartments: "GET /api/v1/departments"
    case .depth: "depth"
    default: "the administrator's command line"
    }
  }
}

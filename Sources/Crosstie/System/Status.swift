internal import CCrosstie

/// The result of an operation: zero for success, negative for an error, positive for success that is
/// not complete yet.
///
/// The numbers are those of the C header's one list, ``CTIE_STATUS_LIST``; they never change.
public struct Status: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32

    @inlinable
    public init(rawValue: Int32) { self.rawValue = rawValue }

    package init(_ constant: Int) { rawValue = Int32(truncatingIfNeeded: constant) }

    /// True for every status that is not an error.
    @inlinable
    public var isSuccess: Bool { rawValue >= 0 }
}

extension Status: Error {}

extension Status {
    public static var pending: Status { Status(CTIE_PENDING) }
    public static var ok: Status { Status(CTIE_OK) }
    public static var invalidArgument: Status { Status(CTIE_E_INVALID) }
    public static var invalidHandle: Status { Status(CTIE_E_HANDLE) }
    public static var forked: Status { Status(CTIE_E_FORKED) }
    public static var closed: Status { Status(CTIE_E_CLOSED) }
    public static var invalidUTF8: Status { Status(CTIE_E_UTF8) }
    public static var limitExceeded: Status { Status(CTIE_E_LIMIT) }
    public static var outOfMemory: Status { Status(CTIE_E_NO_MEMORY) }
    public static var wrongType: Status { Status(CTIE_E_TYPE) }
    public static var incompatibleABI: Status { Status(CTIE_E_ABI) }
    public static var conflict: Status { Status(CTIE_E_CONFLICT) }
    public static var noRoute: Status { Status(CTIE_E_NO_ROUTE) }
    public static var denied: Status { Status(CTIE_E_DENIED) }
    public static var blocked: Status { Status(CTIE_E_BLOCKED) }
    public static var invalidURL: Status { Status(CTIE_E_URL) }
    public static var unroutablePath: Status { Status(CTIE_E_PATH) }
    public static var invalidPattern: Status { Status(CTIE_E_PATTERN) }
    public static var invalidParameter: Status { Status(CTIE_E_PARAM) }
    public static var duplicateKey: Status { Status(CTIE_E_DUPLICATE) }
    public static var notFound: Status { Status(CTIE_E_NOT_FOUND) }
    public static var alreadyDone: Status { Status(CTIE_E_ALREADY) }
    public static var noReply: Status { Status(CTIE_E_NO_REPLY) }
    public static var timedOut: Status { Status(CTIE_E_TIMEOUT) }
    public static var cancelled: Status { Status(CTIE_E_CANCELLED) }
    public static var handlerFailed: Status { Status(CTIE_E_HANDLER) }
    public static var deadlock: Status { Status(CTIE_E_DEADLOCK) }
    public static var nestedTooDeeply: Status { Status(CTIE_E_DEPTH) }
    public static var busy: Status { Status(CTIE_E_BUSY) }
    public static var invalidFormat: Status { Status(CTIE_E_FORMAT) }
    public static var foreignValue: Status { Status(CTIE_E_FOREIGN) }
    public static var invalidIdentifier: Status { Status(CTIE_E_IDENTIFIER) }
    public static var noSpace: Status { Status(CTIE_E_NO_SPACE) }
    public static var unsafeFile: Status { Status(CTIE_E_UNSAFE) }
    public static var corruptData: Status { Status(CTIE_E_CORRUPT) }
    public static var incompatibleVersion: Status { Status(CTIE_E_VERSION) }
    public static var systemFailure: Status { Status(CTIE_E_SYSTEM) }
    public static var noTarget: Status { Status(CTIE_E_NO_TARGET) }
    public static var noComponent: Status { Status(CTIE_E_NO_COMPONENT) }
    public static var noAction: Status { Status(CTIE_E_NO_ACTION) }
    public static var noName: Status { Status(CTIE_E_NO_NAME) }
    public static var notAComponent: Status { Status(CTIE_E_NOT_COMPONENT) }
    public static var noHandler: Status { Status(CTIE_E_NO_HANDLER) }
    public static var notInstalled: Status { Status(CTIE_E_NOT_INSTALLED) }
    public static var unsupportedApp: Status { Status(CTIE_E_UNSUPPORTED_APP) }
    public static var unsupportedMessage: Status { Status(CTIE_E_UNSUPPORTED_MESSAGE) }
    public static var userCancelled: Status { Status(CTIE_E_USER_CANCELLED) }
    public static var unknownAnswer: Status { Status(CTIE_E_UNKNOWN) }
    public static var queueFull: Status { Status(CTIE_E_FULL) }
    public static var peerGone: Status { Status(CTIE_E_PEER_GONE) }
    public static var unavailable: Status { Status(CTIE_E_UNAVAILABLE) }
    public static var uncertain: Status { Status(CTIE_E_UNCERTAIN) }
    public static var unsupported: Status { Status(CTIE_E_UNSUPPORTED) }
}

extension Status {
    /// Whether an error is one of this status, so that a `catch` can name it.
    ///
    /// ```swift
    /// do {
    ///     try bus.open("app://users/42")
    /// } catch Status.noRoute {
    ///     showStart()
    /// }
    /// ```
    public static func ~= (status: Status, error: any Error) -> Bool { (error as? CrosstieError)?.status == status }

    /// Whether two are the same: a status is an error itself, and what is above would take it in a `switch`.
    @inlinable
    @inline(__always)
    public static func ~= (pattern: Status, status: Status) -> Bool { pattern.rawValue == status.rawValue }
}

internal import CCrosstie

/// A kind of shared message. Hosts add their own.
public struct ShareKind: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static var text: ShareKind { ShareKind(rawValue: CTIE_SHARE_KIND_TEXT) }
    public static var image: ShareKind { ShareKind(rawValue: CTIE_SHARE_KIND_IMAGE) }
    public static var audio: ShareKind { ShareKind(rawValue: CTIE_SHARE_KIND_AUDIO) }
    public static var video: ShareKind { ShareKind(rawValue: CTIE_SHARE_KIND_VIDEO) }
    public static var webPage: ShareKind { ShareKind(rawValue: CTIE_SHARE_KIND_WEB_PAGE) }
    public static var file: ShareKind { ShareKind(rawValue: CTIE_SHARE_KIND_FILE) }
    public static var miniProgram: ShareKind { ShareKind(rawValue: CTIE_SHARE_KIND_MINI_PROGRAM) }
}

/// A provider written in Swift, as the list holds it.
final class SwiftProvider: Sendable {
    private let provider: any Provider

    private init(_ provider: any Provider) { self.provider = provider }

    /// The registered content.
    static func content(_ provider: any Provider) -> ProviderContent {
        var content = ProviderContent(name: provider.name, context: CallbackContext(holding: SwiftProvider(provider)))
        content.isPublic = provider.isPublic
        (content.isInstalled, content.isSupported) = (isInstalled, isSupported)
        if let sharing = provider as? any ShareProvider {
            (content.functions.share, content.can.share) = (handle, can)
            content.endpoints = sharing.endpoints.map { endpoint, kinds in
                ProviderEndpoint(endpoint: endpoint.rawValue, kinds: kinds.map(\.rawValue).sorted())
            }
            .sorted { $0.endpoint < $1.endpoint }
        }
        if let signingIn = provider as? any OauthProvider {
            (content.functions.oauth, content.can.oauth) = (handle, can)
            content.platform = signingIn.platform.rawValue
        }
        if let launching = provider as? any LaunchProvider {
            (content.functions.launch, content.can.launch) = (handle, can)
            content.platform = launching.platform.rawValue
        }
        if let opening = provider as? any OpenURLProvider {
            (content.functions.openURL, content.can.openURL, content.appID) = (handle, can, opening.appID)
        }
        if let continuing = provider as? any ActivityProvider {
            (content.functions.openActivity, content.can.openActivity) = (handle, can)
            content.universalLink = continuing.universalLink
        }
        return content
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> (any Provider)? {
        CallbackContext.object(context, as: SwiftProvider.self)?.provider
    }

    private static let isInstalled: ProviderStateFunction = { of($0)?.isInstalled ?? false }
    private static let isSupported: ProviderStateFunction = { of($0)?.isSupported ?? false }

    private static let can: ProviderCanFunction = { raw, context in
        guard let provider = of(context) else { return false }
        return provider.can(Request(Handle(bits: UInt(bitPattern: raw))))
    }

    private static let handle: HandlerFunction = { raw, context in
        guard let provider = of(context) else { return }
        Request(Handle(bits: UInt(bitPattern: raw))).handle { try provider.handle($0) }
    }
}

extension Provider {
    fileprivate func can(_ request: Request) -> Bool {
        switch request.kind {
        case .share: (self as? any ShareProvider)?.canShare(to: Endpoint(rawValue: request.target)) ?? false
        case .oauth: (self as? any OauthProvider)?.canOauth(with: Platform(rawValue: request.target)) ?? false
        case .launch: (self as? any LaunchProvider)?.canLaunch(on: Platform(rawValue: request.target)) ?? false
        case .open: (self as? any OpenURLProvider)?.canOpen(request.url) ?? false
        case .activity: (self as? any ActivityProvider)?.canOpen(activity: request.arguments) ?? false
        default: false
        }
    }

    fileprivate func handle(_ request: Request) throws -> Value? {
        switch request.kind {
        case .share:
            try (self as? any ShareProvider)?.share(
                request.arguments, to: Endpoint(rawValue: request.target), request)
        case .oauth: try (self as? any OauthProvider)?.oauth(request.arguments, request)
        case .launch: try (self as? any LaunchProvider)?.launch(request.arguments, request)
        case .open: try (self as? any OpenURLProvider)?.open(request.url, request)
        case .activity: try (self as? any ActivityProvider)?.open(activity: request.arguments, request)
        default: nil
        }
    }
}

/// A function for each capability of a provider that has one.
package struct CapabilityFunctions<Function> {
    package var share: Function?
    package var oauth: Function?
    package var launch: Function?
    package var openURL: Function?
    package var openActivity: Function?

    package init() {}

    /// The function for a kind of request.
    subscript(kind: RequestKind) -> Function? {
        switch kind {
        case .open: openURL
        case .share: share
        case .oauth: oauth
        case .launch: launch
        case .activity: openActivity
        default: nil
        }
    }
}

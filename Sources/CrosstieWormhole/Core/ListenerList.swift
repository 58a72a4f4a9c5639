/// The listeners of a wormhole, as its transport sees them.
protocol ListenerList: AnyObject {
    /// Runs `body` while none is bound or removed, and has all of them looked after once more.
    func enterAgain(_ body: () -> Void)
}

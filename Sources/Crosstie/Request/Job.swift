/// What a loop or a worker does that is no request: nobody asked for it, and nobody waits for its end.
package protocol Job: AnyObject {
    /// Does it. False when there was nothing to do any more.
    func run() -> Bool

    /// Tells instead that it will never run, since its bus has closed.
    func drop()
}

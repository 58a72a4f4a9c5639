/// Work of a loop or a worker that is no request: it has no caller, and no thread waits for its end.
package protocol Job: AnyObject {
    /// Does the work. Returns false if there was nothing left to do.
    func run() -> Bool

    /// Reports, in place of ``run()``, that the job will never run, since its bus has closed.
    func drop()
}

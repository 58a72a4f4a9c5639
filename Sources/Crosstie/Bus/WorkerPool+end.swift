internal import Glibc

/// The end.
extension UnsafeMutablePointer where Pointee == WorkerPool {
    /// Accepts no more requests, and ends those that are queued or that no thread runs.
    func endQueued() {
        let (queued, closing) = stop()
        var kept = closing
        let slot = ThreadSlot.current
        for work in queued { end(work, slot) }
        kept.end(.closed)
    }

    private func end(_ work: WorkerPool.Work, _ slot: UnsafeMutablePointer<ThreadSlot>) {
        switch work {
        case .job(let job):
            job.job.drop()
            var done = WorkerPool.Done(job: job)
            done.drop(slot)
        case .request(let block), .completion(let block):
            block.end(.closed)
            var done = WorkerPool.perform(work, slot)
            if done.hasFinished { countFinished() }
            done.drop(slot)
        }
    }

    private func stop() -> ([WorkerPool.Work], RequestChain) {
        pointee.lock.with {
            pointee.isStopping = true
            var queued: [WorkerPool.Work] = []
            while let item = pointee.queue.first {
                switch item {
                case .request(let block):
                    pointee.queue.remove(block)
                    if block.pointee.isAsynchronous { pointee.wheel.remove(block) }
                    queued.append(block.pointee.isQueuedForCompletion ? .completion(block) : .request(block))
                case .job:
                    if let job = pointee.queue.takeJob() { queued.append(.job(job)) }
                }
            }
            let kept = pointee.wheel.take { !$0.pointee.ownership.hasOwner }
            while let worker = pointee.idlers.callNext() { worker.wake() }
            pointee.watch.signal()
            return (queued, kept)
        }
    }

    /// After ``endQueued()``: waits for running requests, joins every thread, and ends the rest. False when the host does not
    /// want this thread to wait.
    func join() -> Bool {
        pointee.lock.lock()
        while pointee.threads > 0 || pointee.hasWatcher {
            guard pointee.ended.waitWanted(pointee.lock) else {
                pointee.lock.unlock()
                return false
            }
        }
        let last = pointee.retired
        pointee.retired = nil
        pointee.lock.unlock()
        if let last { pthread_join(last, nil) }
        // Those that somebody was just about to hand over.
        var rest = pointee.lock.with { pointee.wheel.take { _ in true } }
        rest.end(.closed)
        return true
    }

    /// After ``join()``, when every request has ended: waits until each completion has run or been left to a loop. A
    /// thread of the host's that has ended a request may still be on the way to its completion.
    /// False when the host does not want this thread to wait.
    func waitForCompletions() -> Bool {
        pointee.lock.with {
            while pointee.unfinished > 0 {
                guard pointee.ended.waitWanted(pointee.lock) else { return false }
            }
            return true
        }
    }

    /// Has closing wait until ``countFinished()``; by a thread that has a request in hand which is counted.
    func countUnfinished() { pointee.lock.with { pointee.unfinished += 1 } }

    /// The last thing that a thread does with a pool of which it is no worker: closing may be waiting for just that.
    func countFinished() {
        pointee.lock.with {
            pointee.unfinished -= 1
            if pointee.isStopping { pointee.ended.broadcast() }
        }
    }

    /// After ``join()``, when nobody can find it any more.
    func free() {
        pointee.wheel.free()
        pointee.watch.free()
        pointee.ended.free()
        pointee.lock.free()
        deinitialize(count: 1)
        deallocate()
    }
}

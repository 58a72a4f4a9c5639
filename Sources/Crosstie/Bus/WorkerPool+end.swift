internal import Glibc

/// The end.
extension UnsafeMutablePointer where Pointee == WorkerPool {
    /// Takes nothing more, and ends what is queued and what nobody runs.
    func endQueued() {
        var (queued, kept) = stop()
        for work in queued {
            work.block.end(.closed)
            if let left = WorkerPool.attend(work, ThreadSlot.current) { left.dropAsCallback() }
        }
        kept.end(.closed)
    }

    private func stop() -> ([WorkerPool.Work], RequestChain) {
        pointee.lock.with {
            pointee.isStopping = true
            var queued: [WorkerPool.Work] = []
            while let block = pointee.queue.first {
                pointee.queue.remove(block)
                if block.pointee.isAsynchronous { pointee.wheel.remove(block) }
                queued.append(WorkerPool.Work(block))
            }
            let kept = pointee.wheel.take { $0.pointee.attendants.load(ordering: .acquiring) == 0 }
            while let worker = pointee.idlers.callNext() { worker.wake() }
            pointee.watch.signal()
            return (queued, kept)
        }
    }

    /// After ``endQueued()``: waits for what runs, and joins every thread.
    func join() {
        pointee.lock.lock()
        while pointee.threads > 0 || pointee.hasWatcher { _ = pointee.ended.wait(pointee.lock) }
        let last = pointee.retired
        pointee.retired = nil
        pointee.lock.unlock()
        if let last { pthread_join(last, nil) }
        // Those that somebody was just about to hand over.
        var rest = pointee.lock.with { pointee.wheel.take { _ in true } }
        rest.end(.closed)
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

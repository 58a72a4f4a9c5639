/// What is to be told, collected in a transaction and told when that has ended.
struct Batch {
    var calls: [(binding: Binding, message: Message)] = []
    private var size = 0

    private static var maximumSize: Int { 4 << 20 }
    private static var maximumCount: Int { 256 }

    var isFull: Bool { size >= Batch.maximumSize || calls.count >= Batch.maximumCount }

    mutating func add(_ binding: Binding, _ message: Message, size: Int) {
        calls.append((binding, message))
        self.size += size
    }
}

extension ListenerThread {
    /// Tells the listeners what is new.
    func deliver() {
        var work = Work()
        lastTold = nil
        do throws(CrosstieError) {
            repeat {
                let batch = try collect(&work)
                for call in batch.calls {
                    if shallStop { return }
                    table.call(call.binding, call.message)
                    lastTold = call.binding.topic.hash
                }
            } while !work.isDone
            heard = work.upTo
        } catch {
            // The store could not be read, for want of memory or of a reader's place: again within a second.
            table.putBack(work.rest)
        }
    }

    /// What is left to do of one round. Prefixes, whose reading may take several transactions, are looked
    /// after up to the state in which it began, so that it does end.
    private struct Work {
        var isBegun = false
        var upTo: UInt64 = 0
        var rest: ArraySlice<Binding> = []
        /// Within a prefix: the last key that was looked at.
        var position: [UInt8] = []

        var isDone: Bool { isBegun && rest.isEmpty }
    }

    /// Collects until there is nothing left or the batch is full.
    private func collect(_ work: inout Work) throws(CrosstieError) -> Batch {
        var batch = Batch()
        let snapshot = try group.store.reading()
        let meta = try snapshot.meta()
        let sequence = meta.sequence(ofState: snapshot.number)
        if !work.isBegun {
            work.isBegun = true
            work.upTo = sequence
            work.rest = table.takeConcerned(changes(upTo: sequence))[...]
        }
        while let binding = work.rest.first, !batch.isFull {
            let view = StateView(meta: meta, upTo: binding.topic.isPrefix ? work.upTo : sequence)
            guard try view.collect(binding, from: snapshot, position: &work.position, into: &batch) else { break }
            work.position = []
            work.rest = work.rest.dropFirst()
        }
        return batch
    }

    /// The hashes of what has changed since the last round; nil when that is not known.
    private func changes(upTo sequence: UInt64) -> Set<UInt64>? {
        guard sequence > heard else { return [] }
        guard heard != 0, sequence &- heard <= BellsLayout.ringCount / 2 else { return nil }
        var hashes: Set<UInt64> = []
        for change in heard + 1...sequence {
            guard let hash = group.bells.hash(ofChange: change), hash != 0 else { return nil }
            hashes.insert(hash)
        }
        return hashes
    }
}

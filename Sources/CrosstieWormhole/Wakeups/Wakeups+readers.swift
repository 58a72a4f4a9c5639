/// Which reader of the store a process is.
extension Wakeups {
    /// Notes under which number the process of a slot reads.
    func noteReader(_ slot: Int, _ number: Int32) {
        record(slot).storeBytes(of: number, toByteOffset: Wakeups.readerOffset, as: Int32.self)
    }

    /// The process that reads under a number; nil if it has left.
    func process(ofReader number: Int32) -> ProcessIdentity? {
        var found: ProcessIdentity?
        everybody.forEach { slot in
            let other = record(slot).load(fromByteOffset: Wakeups.readerOffset, as: Int32.self)
            if other == number { found = process(slot) }
        }
        return found
    }
}

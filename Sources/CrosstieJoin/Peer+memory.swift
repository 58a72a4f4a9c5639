internal import Glibc

/// Shared memory with a peer: it is agreed on by frames of the socket, then carries frames itself.
extension Peer {
    /// Offers memory to a peer to which this side has connected.
    func offerMemory() {
        guard join.usesSharedMemory, let socket, let (shared, file) = SharedMemory.make() else { return }
        defer { close(file) }
        memory.keep(shared, direction: 0)
        _ = socket.send(FrameWriter(.share).bytes, with: file)
    }

    /// Takes the memory that the peer offers, if this side can use it; else all stays on the socket.
    func acceptMemory() -> Bool {
        // Nobody else can offer memory.
        guard let socket else { return false }
        let files = socket.takeDescriptors()
        defer { for file in files { close(file) } }
        guard let file = files.first else { return !memory.isKept }
        guard !memory.isKept else { return false }
        guard join.usesSharedMemory, let shared = SharedMemory.map(file) else { return true }
        memory.keep(shared, direction: 1)
        memory.begin().map(sender.begin)
        return true
    }

    /// Reads the frames that follow from memory, and sends by it if this is the side that has offered it.
    func readMemory() -> Bool {
        memory.begin().map(sender.begin)
        guard memory.read() else { return false }
        join.attendant.add(self)
        return true
    }

    // MARK: Frames

    /// Handles a frame of the socket, after those in memory that were sent before it. False if it breaks the form.
    func receiveFromSocket(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // The mark of the change was made before the frame was sent, so it is among the entries that wait.
        guard memory.readsSocket || takeFrames() != .broken && memory.readsSocket else { return false }
        guard !isDescribing(bytes) else { return acceptDescriptors(bytes) }
        let descriptors = brought
        brought = .none
        // Only descriptors that were announced may come, and the memory. Nobody has said this of another version.
        return receive(bytes, nil, descriptors) && (socket?.descriptorCount == 0 || !isCompatible)
    }

    /// The result of handling frames, which may have left more.
    enum Taking {
        case done, more
        /// The peer has broken the form.
        case broken
    }

    /// Handles frames that wait in memory; on the join's thread.
    func takeFrames() -> Taking {
        guard let inbox = memory.inbox else { return .done }
        for _ in 0..<SharedLayout.slots {
            switch memory.take(limit: join.receiveLimit, isWorker: false, { receive($0, $1, outside: $2) }) {
            case .call, .left: continue
            case .broken: return .broken
            case .frame(let bytes, let entry):
                defer { inbox.giveBack(entry) }
                let outside = inbox.outside(entry, limit: join.receiveLimit)
                guard bytes.withUnsafeBytes({ receive($0, outside: outside) }) else { return .broken }
            case .nothing:
                inbox.leave(false)
                if memory.readsSocket || inbox.poll() { return .done }
            }
        }
        return .more
    }

    /// Begins the calls that wait in memory, on a worker, and leaves all other frames to the join's thread. True if there
    /// were any.
    func takeCalls(from inbox: Inbox) -> Bool {
        var hasTaken = false
        inbox.become(.awake)
        for _ in 0..<SharedLayout.slots {
            switch memory.take(limit: join.receiveLimit, isWorker: true, { receive($0, $1, outside: $2) }) {
            case .call: hasTaken = true
            case .frame: break
            case .left:
                inbox.leave(true)
                join.source?.look(at: self)
                return hasTaken
            case .broken:
                breakForm()
                return hasTaken
            case .nothing:
                if inbox.poll() { return hasTaken }
            }
        }
        join.source?.look(at: self)
        return hasTaken
    }

    // MARK: Answers in memory

    /// Ends a call with its answer in memory, if that is there.
    @inline(never)
    func takeAnswer(of call: OutgoingCall) -> AnswerSlots.Progress {
        let progress = call.answerProgress
        guard case .written(let frame) = progress else { return progress }
        // The thread that has taken the call ends it, and wakes this one by the request's word.
        guard has(call) else { return .never }
        let isRight = frame.withUnsafeBytes { bytes in
            guard case .answer(let answer) = Frame(bytes), answer.id == call.id else { return false }
            return receive(answer)
        }
        if !isRight { breakForm() }
        return progress
    }

    /// Takes the answers that the peer wrote before it ended.
    func takeAnswers() { for call in openCalls { _ = takeAnswer(of: call) } }

    /// Cuts the peer off because it broke the form.
    func breakForm() {
        guard !hasEnded else { return }
        let line = "\(title) broke the format of frames"
        join.log(.warning, line + ", and is cut off")
        end(.corruptData, line)
        cutOff()
    }
}

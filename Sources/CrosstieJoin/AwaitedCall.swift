internal import CPlatform
internal import Glibc

/// A call whose caller's thread takes the answer itself, so that no other thread is between the peer and it.
final class AwaitedCall: AnswerSource {
    private let call: OutgoingCall
    private let peer: Peer

    init(_ call: OutgoingCall, of peer: Peer) { (self.call, self.peer) = (call, peer) }

    func sleep(on word: UnsafeRawPointer, seen: UInt32, nanoseconds: UInt64?) -> Bool {
        let own = cp_watched(word: word, expected: seen)
        var woken: Int32
        switch peer.takeAnswer(of: call) {
        case .written: return true
        case .awaited(var awaited): woken = cp_wait_beside(own, &awaited, 1, nanoseconds ?? .max)
        // The word of the request alone says when an answer has come that comes elsewhere.
        case .never: woken = cp_wait_beside(own, nil, 0, nanoseconds ?? .max)
        }
        if woken == -ENOSYS || woken == -EPERM { woken = nap(on: own, nanoseconds) }
        if case .written = peer.takeAnswer(of: call) { return true }
        return woken != -ETIMEDOUT && woken != -EINTR
    }

    /// For a process that has been forbidden to wait for several words meanwhile.
    private func nap(on own: cp_watched, _ nanoseconds: UInt64?) -> Int32 {
        let longest: UInt64 = 1_000_000
        var time = timespec(tv_sec: 0, tv_nsec: Int(min(nanoseconds ?? longest, longest)))
        let failure = cp_futex_wait(own.word, own.expected, &time, false)
        return failure == ETIMEDOUT && nanoseconds ?? .max > longest ? 0 : -failure
    }
}

internal import CPlatform
internal import Glibc
import Testing

@testable import Crosstie

/// The number of workers that start at once, by the cores that this process may use.
@Suite struct WorkerGrowthTests {
    private typealias Affinity = @convention(c) (pid_t, Int, UnsafeMutableRawPointer) -> Int32

    /// glibc declares the two functions only for GNU sources.
    private func function(_ name: String) throws -> Affinity {
        unsafeBitCast(try #require(dlsym(nil, name)), to: Affinity.self)
    }

    /// Lets the calling thread use one core alone during `body`.
    private func onOneCore(_ body: () -> Void) throws {
        let (get, set) = (try function("sched_getaffinity"), try function("sched_setaffinity"))
        var before = [UInt8](repeating: 0, count: 1024)
        try #require(get(0, before.count, &before) > -1)
        let index = try #require(before.firstIndex { $0 != 0 })
        var one = [UInt8](repeating: 0, count: before.count)
        one[index] = before[index] & (~before[index] &+ 1)
        try #require(set(0, one.count, &one) == 0)
        body()
        try #require(set(0, before.count, &before) == 0)
    }

    @Test func coresThatThisProcessMayNotUseDoNotCount() throws {
        try onOneCore { #expect(WorkerGrowth().eager == 1) }
        #expect(WorkerGrowth().eager == Int(cp_usable_cores()))
    }
}

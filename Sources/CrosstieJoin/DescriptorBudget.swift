internal import Glibc
import Synchronization

/// The descriptors of a peer that this process holds. All joins together hold a quarter of the files that the process may
/// open, and a peer half of that, so that peers can take no file away that the process needs.
final class DescriptorBudget: Sendable {
    private static let all = Atomic<Int>(0)
    private let own = Atomic<Int>(0)

    /// Takes descriptors that a peer has sent. Nil if there are too many already: they are closed.
    func take(_ files: [Int32]) -> [Descriptor]? {
        let most = DescriptorBudget.most
        let total = DescriptorBudget.all.wrappingAdd(files.count, ordering: .relaxed).newValue
        let ours = own.wrappingAdd(files.count, ordering: .relaxed).newValue
        guard total <= most, ours <= most / 2 else {
            for file in files {
                close(file)
                giveBack()
            }
            return nil
        }
        return files.map { file in Descriptor(adopting: file) { [self] in giveBack() } }
    }

    private func giveBack() {
        own.wrappingSubtract(1, ordering: .relaxed)
        DescriptorBudget.all.wrappingSubtract(1, ordering: .relaxed)
    }

    private static var most: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur) / 4
    }
}

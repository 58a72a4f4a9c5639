import Crosstie
import CrosstieWormhole
import Testing

@Suite("Abilities of wormholes")
struct AbilitiesTests {
    @Test("A group in memory has all that memory allows, and a closed wormhole none")
    func memory() throws {
        var options = WormholeOptions()
        options.isInMemory = true
        let wormhole = try Wormhole("abilities", options: options)
        let abilities = try wormhole.abilities
        #expect(abilities.isSuperset(of: [.atomicBatches, .exactMissed, .tokens, .scheduling, .deadLetters, .batches]))
        #expect(abilities.isDisjoint(with: [.survivingPower, .joiningBuses]))
        wormhole.close()
        #expect(throws: CrosstieError.self) { try wormhole.abilities }
    }
}

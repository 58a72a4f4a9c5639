@testable import Crosstie

/// Many cases of one kind.
extension ScenarioPlayer {
    /// Plays the table's steps once for each row, whose columns are added to every one of them.
    func playTable(_ table: ScenarioStep) async throws {
        let columns = (table.data["columns"]?.listValue ?? []).compactMap(\.stringValue)
        for (number, row) in (table.data["rows"]?.listValue ?? []).enumerated() {
            let cells = Array(zip(columns, row.listValue ?? []))
            for step in table.steps("steps") {
                do {
                    try await play(step.adding(cells))
                } catch {
                    throw Unexpected("row \(number + 1), \(step.text("do")): \(error)")
                }
            }
        }
    }
}

extension ScenarioStep {
    fileprivate func adding(_ cells: [(String, Value)]) -> ScenarioStep {
        let own = (data.mapValue ?? ValueMap()).map { ($0.key, $0.value) }
        return ScenarioStep(data: .map(ValueMap(own + cells)))
    }
}

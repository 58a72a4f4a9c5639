/// The rule table of a bus: a document, and for each of its rules the registration in the route table.
package struct LoadedRules {
    package let document: RuleDocument
    let registrations: [RegistrationRecord.Pointer]

    func rule(ofId id: String) -> LoadedRule? {
        guard let index = document.index(ofId: id) else { return nil }
        return registrations[index].pointee.rule
    }
}

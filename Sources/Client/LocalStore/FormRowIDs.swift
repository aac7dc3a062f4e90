internal import Forms
internal import Replication
internal import SQLite

/// Ids of the rows that no person adds: those that the form itself has, and those that a count makes.
///
/// Two devices that begin an inspection, or raise a count, at the same time mean the same rows, so they make
/// them under the same ids: the second INSERT merges into the first, answer by answer, instead of leaving
/// rows too many. Rows that people add are each one of its own, under a random id.
struct FormRowIDs {
    let inspection: RecordID
    /// Rows that this device has ever seen; one that was deleted stays so.
    let known: Set<RecordID>

    /// - Parameter number: in the form, from 1.
    func laid(_ number: Int) -> String { firstUnseen("form \(number)") }

    /// - Parameter number: of the row at its place, from 1.
    func counted(_ place: RepeatPlace, _ number: Int) -> String {
        firstUnseen("\(place.parent ?? inspection.rawValue) \(place.path) \(number)")
    }

    private func firstUnseen(_ name: String) -> String {
        var generation = 0
        while true {
            let id = UUIDText.version5(
                namespace: UUIDText.walkdown,
                name: "row \(inspection.rawValue) \(name) \(generation)")
            if !known.contains(RecordID(id)) { return id }
            generation += 1
        }
    }
}

extension Connection {
    func formRowIDs(in inspection: RecordID, _ form: FormDefinition) throws -> FormRowIDs {
        let makesRows =
            !form.parts.rows.isEmpty || form.repetitions.contains { $0.count != nil }
        return FormRowIDs(
            inspection: inspection,
            known: try makesRows ? Set(parts(of: inspection)) : [])
    }
}

internal import Forms
internal import Replication
internal import SQLite

/// Ids of the rows that a count makes.
///
/// Two devices that raise a count at the same time mean the same rows, so they make them under the same ids:
/// the second INSERT merges into the first, answer by answer, instead of leaving a row too many. Rows that
/// people add are each one of its own, under a random id.
extension Connection {
    /// - Returns: the id of the row with this number at a place: the first of its line that this device has
    ///   never seen, for one that was deleted stays so.
    func countedRowIDs(
        in inspection: RecordID, _ form: FormDefinition
    ) throws -> (RepeatPlace, Int) -> String {
        let isCounted = form.repetitions.contains { $0.count != nil }
        let known = try isCounted ? Set(rowRecords(below: inspection)) : []
        return { place, number in
            let parent = place.parent ?? inspection.rawValue
            var generation = 0
            while true {
                let id = UUIDText.version5(
                    namespace: inspection.rawValue,
                    name: "\(parent) \(place.path) \(number) \(generation)")
                if !known.contains(RecordID(id)) { return id }
                generation += 1
            }
        }
    }
}

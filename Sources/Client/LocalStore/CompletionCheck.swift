internal import Inspections
package import Replication

extension DeviceStore {
    /// Whether what is stored may be finished: a picture on a screen can be older than a pull.
    /// - Throws: `Completion.Refusal` with the state or the problems in the way; `unknownForm` where
    ///   its form is not on this device.
    package func requireCompletable(_ id: RecordID) throws {
        let summary = try inspection(id).summary
        try Completion.check(try filling(of: id), state: summary.knownState())
    }
}

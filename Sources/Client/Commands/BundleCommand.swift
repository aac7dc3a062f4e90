internal import Arguments
internal import Coding
internal import Crypto
internal import LocalStore
internal import Replication

enum BundleCommand {
    private static let file = Positional(
        "FILE", help: "A new file, as on a stick; never one that is there.")

    static let entry = Entry(
        name: "bundle", summary: "Copy all that waits to be sent into an encrypted file.",
        discussion: """
            For where the network stays away: 'walkdownd import bundle FILE' takes it in at the \
            office. Only the server that this device is enrolled with can read it. What is in it \
            still waits here until a synchronisation hears that the server has it.
            """,
        positionals: [file]
    ) { run in
        let path = run.invocation.operand(file.name)
        let result = try run.withStore(for: .writing) { store in try write(store, to: path) }
        try run.emit(result.json(path)) { result.text(path) }
        return .done
    }

    /// For whoever gives up a change that may stand in one.
    static let warning =
        "It may stand in a bundle that was written before: whoever imports that one brings it back,"
        + " so destroy the file where that must not be."

    private static func write(_ store: DeviceStore, to path: String) throws -> Written {
        guard let enrolment = try store.enrolment(), !enrolment.deviceID.isEmpty else {
            throw StoreError.damaged("it does not know its server")
        }
        var file = try BundleFile(path)
        // From here on what is in the plan never changes, whatever becomes of the file.
        let plan = try store.sealForBundle()
        guard plan.mutationCount > 0 else { return Written(plan: plan, bytes: nil) }
        let header = BundleHeader(
            device: enrolment.deviceID, nonce: Crypto.random(BundleHeader.nonceByteCount))
        var writer = try BundleWriter(header, token: enrolment.token)
        try file.write(writer.head)
        for batch in plan.batches { try file.write(try writer.frame(store.request(of: batch))) }
        try file.write(try writer.endMark())
        try file.finish()
        try store.log("bundle", "\(plan.mutationCount) changes copied out")
        return Written(plan: plan, bytes: file.byteCount)
    }

    private struct Written {
        let plan: BundlePlan
        /// nil where nothing waits, and so no file was made.
        let bytes: Int?

        func json(_ path: String) -> JSON {
            [
                "file": JSON(bytes.map { _ in path }),
                "mutations": .integer(Int64(plan.mutationCount)),
                "left": .integer(Int64(plan.leftCount)), "bytes": JSON(bytes.map(Int64.init)),
            ]
        }

        func text(_ path: String) -> String {
            guard let bytes else { return "nothing waits to be sent; no file was made\n" + left }
            return """
                \(changes(plan.mutationCount)) in \(path) (\(bytes) bytes)
                They wait here too until a synchronisation hears that the server has them.

                """ + left
        }

        private var left: String {
            guard plan.leftCount > 0 else { return "" }
            return changes(plan.leftCount)
                + " not in it: a person decides on what failed, is in conflict or in review"
                + " ('walkdown outbox')\n"
        }

        private func changes(_ count: Int) -> String { counted(count, "change", "changes") }
    }
}

internal import Arguments
internal import Coding
internal import LocalStore
internal import Replication

enum NewCommand {
    private static let asset = Option(
        "asset", value: "TAG", help: "The equipment that is inspected, by its tag or id.")

    static let entry = Entry(
        name: "new", summary: "Start an inspection and print its id.",
        positionals: [Positional("FORM", help: "The id of a published form.")], options: [asset]
    ) { run in
        let id = try run.withStore(for: .writing) { store in
            let form = try newestForm(run.invocation.operand("FORM"), in: store)
            let asset = try run.invocation.value(asset.name).map { try find(asset: $0, in: store) }
            return try store.createInspection(
                form: form.id, version: form.version, asset: asset)
        }
        try run.emit(["id": .string(id.rawValue)]) { "\(id)\n" }
        return .done
    }

    private static func newestForm(_ id: String, in store: DeviceStore) throws -> FormSummary {
        // The newest version of each comes first.
        let versions = try store.forms().filter { $0.id == id }
        guard !versions.isEmpty else { throw StoreError.unknownForm(id: id, version: nil) }
        guard let newest = versions.first(where: { $0.state == "open" }) else {
            throw Failure(.failed, "the form \(id) is closed: no new inspection begins with it")
        }
        return newest
    }

    private static func find(asset text: String, in store: DeviceStore) throws -> RecordID {
        let assets = try store.assets()
        let fitting = assets.filter { $0.tag == text || $0.id.rawValue == text }
        guard let first = fitting.first else {
            throw Failure(.failed, "there is no asset \(text) on this device")
        }
        guard fitting.count == 1 else {
            throw Failure(
                .failed, "\(fitting.count) assets have the tag \(text); name one by its id",
                advice: fitting.map { "\($0.id)  \($0.site ?? "")" }.joined(separator: "\n"))
        }
        return first.id
    }
}

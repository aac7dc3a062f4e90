internal import Arguments
internal import Coding
internal import Vault

enum LockCommand {
    static let entry = Entry(
        name: "lock", summary: "Tell the application that has this home open to lock.",
        discussion: """
            Needs no PIN. The screen and the line mode ask for it again; 'fill' and 'sync --watch' end \
            with 6. Where nothing has the home open, nothing is unlocked.
            """
    ) { run in
        let holder = try HomeLease.holder(of: run.home())
        // A holder that ended in between holds no key any more.
        let told = holder.map(LockSignal.send(to:)) ?? false
        try run.emit(["told": holder.flatMap { told ? .integer(Int64($0)) : nil } ?? .null]) {
            guard let holder, told else { return "nothing is unlocked\n" }
            return "told process \(holder) to lock\n"
        }
        return .done
    }
}

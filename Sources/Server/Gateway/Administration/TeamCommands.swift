import Arguments
import Coding
import ServerStore

enum TeamCommands {
    static let all = [add, list]

    static let add = Administration(
        name: "add", summary: "Add a team.", positionals: [Positional("NAME")]
    ) { session, invocation, console in
        let team = try session.store.addTeam(named: invocation.operand("NAME"))
        if invocation.has("json") {
            let document: JSON = ["id": .string(team.id), "name": .string(team.name)]
            try console.writeDocument(document.serialized())
        } else {
            try console.writeLine("team \(terminalSafe(team.name)) added")
        }
        return .done
    }

    static let list = Administration(
        name: "list", summary: "List the teams."
    ) { session, invocation, console in
        let teams = try session.store.teams()
        if invocation.has("json") {
            let document = JSON.array(
                teams.map { ["id": .string($0.id), "name": .string($0.name)] })
            try console.writeDocument(document.serialized())
        } else {
            for team in teams { try console.writeLine(terminalSafe(team.name)) }
        }
        return .done
    }
}

import CPseudoTerminal
import Coding
import Foundation

// walkdown-bench [--json] [FIGURE ...]: measures, each figure beside its bound from the same run.
// Exit status 1 where a goal was missed, so that a script can tell.

let words = CommandLine.arguments.dropFirst()
if words.first == "--ncurses-echo" { exit(walkdown_ncurses_echo()) }
let wantsJSON = words.contains("--json")
let chosen = words.filter { !$0.hasPrefix("-") }
let unknown = chosen.filter { name in !Figures.all.contains { $0.name == name } }
guard unknown.isEmpty, words.allSatisfy({ !$0.hasPrefix("-") || $0 == "--json" }) else {
    let names = Figures.all.map(\.name).joined(separator: " ")
    FileHandle.standardError.write(
        Data("usage: walkdown-bench [--json] [FIGURE ...]\nfigures: \(names)\n".utf8))
    exit(2)
}

var figures: [Figure] = []
for (name, measure) in Figures.all where chosen.isEmpty || chosen.contains(name) {
    let figure: Figure
    do {
        figure = try measure()
    } catch {
        FileHandle.standardError.write(
            Data("walkdown-bench: \(name) could not be measured: \(error)\n".utf8))
        exit(1)
    }
    figures.append(figure)
    if !wantsJSON { print(figure.line, terminator: "") }
}
if wantsJSON {
    let document = JSON.array(figures.map(\.json)).serialized(pretty: true)
    print(String(decoding: document, as: UTF8.self))
}
exit(figures.allSatisfy { $0.goals.allSatisfy(\.holds) } ? 0 : 1)

import FieldApp
import TerminalKit

/// The worklist in another order, and the beginning of an inspection from it.
extension Scenes {
    static func worklistScenes() throws -> [(String, AppState)] {
        let forms = [
            Beginnings.Form(
                id: "cold_chain_equipment", version: "4", title: "Cold-chain equipment"),
            Beginnings.Form(id: "fire_doors", version: "2026-02", title: "Fire doors"),
        ]
        let equipment = rows.map {
            Beginnings.Equipment(id: $0.id, name: $0.name, site: $0.site)
        }
        let choosing = receiving(
            try pressing(worklist(), .character("a")),
            .beginnings(Beginnings(forms: forms, equipment: equipment)))
        return [
            ("worklist-by-state", typing("ooo", try worklist())),
            ("begin-form", choosing),
            ("begin-equipment", typing("f", try pressing(choosing, .enter))),
        ]
    }

    static func settingsScenes() throws -> [(String, AppState)] {
        var begun = try worklist()
        begun.settings.languages.append(.init(code: "es", name: "Español"))
        let settings = try pressing(begun, .character("S"))
        let keys = try pressing(settings, KeyEvent(.end), .enter)
        let about = try pressing(worklist(), .character("I"))
        return [
            ("settings", settings), ("keys", keys), ("keys-awaiting", try pressing(keys, .enter)),
            ("about-waiting", about),
            (
                "about",
                receiving(
                    about,
                    .about([
                        AboutLine("Walkdown", "0.1.0"), AboutLine("handheld-7", "Harbour"),
                        AboutLine(
                            "Depot", "Compressor replaced. Gasket torn on the left side",
                            isTrouble: true),
                    ]))
            ),
        ]
    }
}

internal import FieldApp
internal import TerminalKit

extension OwnKeys.Trouble {
    /// Why the key is not bound to the action.
    func sentence(binding action: String) -> String {
        switch self {
        case .notSent(let key): key.whyNotSent(binding: action)
        case .reserved(let key): "\(key.name) keeps its meaning everywhere; bind another key"
        case .taken(let key, let other, let place):
            "\(key.name) is \(other.rawValue) in '\(place.title)' \(Self.way(key, place))"
        case .isText(let key):
            "\(key.name) is text wherever \(action) is; bind a key that types nothing, such as F11"
        }
    }

    /// Only a line of the person's own can be taken out.
    private static func way(_ key: KeyEvent, _ place: Place) -> String {
        BindingTable.keymap(for: place, demo: true).command(for: key) == nil
            ? "by another line; bind another key, or take that line out"
            : "already; bind another key"
    }
}

extension KeyEvent {
    fileprivate func whyNotSent(binding action: String) -> String {
        switch sending {
        case .always(let other): "a terminal sends \(name) as \(other.name)\(other.asTwin)"
        case .mostly(let other): "most terminals send \(name) as \(other.name)\(other.asTwin)"
        case .shifted:
            "a terminal sends \(name) as the character that Shift makes of it; bind that or another key"
        case .asBeginning:
            "a terminal begins other keys with what it sends for \(name); bind another key"
        case .asItself, .never:
            "no terminal is known to send \(name); 'walkdown keys --bind \(action)' takes the key"
                + " that is pressed"
        }
    }

    private var asTwin: String {
        OwnKeys.isReserved(self)
            ? ", which keeps its meaning everywhere; bind another key"
            : "; bind that or another key"
    }
}

package import Replication

/// A screen, or something that stands before one. The top layer gets each key first.
package enum Layer: Equatable, Sendable {
    case unlock(UnlockScreen)
    case worklist
    case inspection(InspectionScreen)
    case sections(SectionsScreen)
    case picker(PickerScreen)
    case status(StatusScreen)
    case review(ReviewScreen)
    case help(HelpScreen)
    case palette(PaletteScreen)
    case confirm(Confirmation)

    /// The answer that is being typed in it. A layer without one takes none.
    package var editor: AnswerEditor? {
        get {
            switch self {
            case .inspection(let screen): screen.editor
            case .review(let screen): screen.editor
            default: nil
            }
        }
        set {
            switch self {
            case .inspection(var screen):
                screen.editor = newValue
                self = .inspection(screen)
            case .review(var screen):
                screen.editor = newValue
                self = .review(screen)
            default: break
            }
        }
    }

    /// The inspection that it is about.
    package var record: RecordID? {
        switch self {
        case .inspection(let screen): screen.id
        case .review(let screen): screen.id
        default: nil
        }
    }
}

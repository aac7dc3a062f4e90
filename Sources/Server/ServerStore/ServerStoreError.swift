/// Why the store refused a request. Names places and ids, never an answer, token or code.
package struct ServerStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The writer's queue is full: the client tries again later.
        case overloaded
        /// The cursor is of another server epoch, ahead of the feed, or behind what was pruned.
        case cursorExpired
        case badCursor
        /// The node is another device's.
        case wrongNode
        /// Another handheld lives on from the same past: the device has to take a new node.
        case forked
        /// The same idempotency key was used for other content.
        case keyReused
        case tooManyMutations
        /// The device's program is more than one version ahead of the server's.
        case peerTooNew
        case codeUnknown
        case codeUsed
        case codeExpired
        /// Another device has enrolled with this node id.
        case nodeTaken
        /// The device enrols again and was of another team than the code.
        case otherTeam
        case nameTaken
        case badName
        case unknownTeam
        case unknownDevice
        case unknownForm
        /// This version of the form was published with other content.
        case formDiffers
        case badForm
        case unknownRecord
        case unknownReviewItem
        case alreadyDecided
        case stateRefused
        case valueRefused
        /// The file is no database of this program's.
        case notAStore
        /// The machine's clock is so far ahead that nothing may be removed by it.
        case clockDoubted
        /// The file is damaged; nothing was changed.
        case damaged
        /// A row of an imported file; nothing of the file was taken.
        case importRefused
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

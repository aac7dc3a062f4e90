internal import Crypto
internal import Replication

/// What a baton of this server says to the server itself: which of its answers to a node it came
/// with. To the device it is opaque.
struct Baton: Equatable {
    /// The server's epoch in which the answer was given.
    let epoch: Int64
    /// Answers are counted per node and epoch, from 1. A repetition gets the answer that was lost.
    let number: Int64
}

extension CursorSeal {
    /// A baton as it is given out.
    ///
    /// - Parameter salt: tells two answers apart that have the same number, because the server was
    ///   set back between them.
    func text(of baton: Baton, for node: NodeID, salt: String) -> String {
        let content = [String(baton.epoch, radix: 36), String(baton.number, radix: 36), salt]
            .joined(separator: ".")
        return content + "-" + tag(CursorSeal.batonText(content, node))
    }

    /// The baton, where this server gave it to this node.
    func genuine(_ text: String, of node: NodeID) -> Baton? {
        let content = String(CursorSeal.content(of: text))
        guard content + "-" + tag(CursorSeal.batonText(content, node)) == text else { return nil }
        let parts = content.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let epoch = Int64(parts[0], radix: 36),
            let number = Int64(parts[1], radix: 36)
        else { return nil }
        return Baton(epoch: epoch, number: number)
    }

    /// What is sealed. No cursor has a blank in it, so that neither passes for the other.
    private static func batonText(_ content: String, _ node: NodeID) -> Substring {
        "baton \(node) \(content)"
    }
}

extension WriteSession {
    /// A baton that this server gave to the node, newer than any that it remembers to have given,
    /// shows that the database was set back behind its back: what was acknowledged with that answer
    /// is not here.
    func beginEpoch(ifAhead text: String?, of node: NodeID, _ seal: CursorSeal) throws {
        guard let baton = text.flatMap({ seal.genuine($0, of: node) }) else { return }
        if baton.epoch == epoch {
            let newest = try connection.batonTrail(of: node)?.number ?? 0
            guard baton.number > newest else { return }
        } else {
            guard baton.epoch > epoch else { return }
        }
        try beginEpoch(notBelow: baton.epoch + 1)
    }
}

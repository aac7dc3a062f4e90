internal import CZip

#if canImport(Glibc)
    internal import Glibc
#endif

/// Bounds of a zip file: a few kilobytes can claim to hold terabytes.
struct ZipLimits: Sendable {
    var fileBytes = 32 << 20
    var entries = 2_000
    var entryBytes = 32 << 20
    var allBytes = 64 << 20
    /// How many times its packed size an entry may have, once it is large.
    var ratio = 300
    var ratioCountsFrom = 4 << 20

    static let workbook = ZipLimits()
}

/// A zip file in memory, read entry by entry.
final class ZipArchive {
    private let archive: OpaquePointer
    private let limits: ZipLimits
    private let names: [String: zip_uint64_t]

    init(_ bytes: [UInt8], limits: ZipLimits = .workbook) throws(FormImportError) {
        guard bytes.count <= limits.fileBytes else {
            throw FormImportError(.file, "the file is larger than \(limits.fileBytes) bytes")
        }
        archive = try Self.opened(bytes)
        self.limits = limits
        do throws(FormImportError) {
            names = try Self.checked(archive, limits)
        } catch {
            zip_discard(archive)
            throw error
        }
    }

    deinit {
        zip_discard(archive)
    }

    func holds(_ name: String) -> Bool { names[name] != nil }

    /// The entry unpacked; nil when there is none of this name.
    func entry(_ name: String) throws(FormImportError) -> [UInt8]? {
        guard let index = names[name] else { return nil }
        var stat = zip_stat_t()
        guard zip_stat_index(archive, index, 0, &stat) == 0,
            let file = zip_fopen_index(archive, index, 0)
        else { throw Self.damaged(name) }
        defer { zip_fclose(file) }
        let size = Int(stat.size)
        var bytes = [UInt8](repeating: 0, count: size + 1)
        var filled = 0
        // One byte more than is claimed: an entry that has more is damaged, and the checksum is
        // looked at only when the end is reached.
        while filled < bytes.count {
            let read = bytes.withUnsafeMutableBytes { raw -> zip_int64_t in
                guard let base = raw.baseAddress else { return -1 }
                return zip_fread(file, base + filled, zip_uint64_t(raw.count - filled))
            }
            guard read >= 0 else { throw Self.damaged(name) }
            if read == 0 { break }
            filled += Int(read)
        }
        guard filled == size else { throw Self.damaged(name) }
        bytes.removeLast()
        return bytes
    }

    private static func opened(_ bytes: [UInt8]) throws(FormImportError) -> OpaquePointer {
        // libzip keeps pointing into the bytes: it gets a copy, and frees it.
        guard let copy = malloc(max(1, bytes.count)) else {
            throw FormImportError(.file, "there is not enough memory to read the file")
        }
        bytes.withUnsafeBytes { raw in
            if let base = raw.baseAddress { copy.copyMemory(from: base, byteCount: raw.count) }
        }
        guard let source = zip_source_buffer_create(copy, zip_uint64_t(bytes.count), 1, nil) else {
            free(copy)
            throw FormImportError(.file, "there is not enough memory to read the file")
        }
        guard let archive = zip_open_from_source(source, ZIP_RDONLY, nil) else {
            zip_source_free(source)
            throw FormImportError(
                .file, "the file is cut short or damaged: it does not open as a workbook")
        }
        return archive
    }

    private static func checked(
        _ archive: OpaquePointer, _ limits: ZipLimits
    ) throws(FormImportError) -> [String: zip_uint64_t] {
        let count = zip_get_num_entries(archive, 0)
        guard count <= limits.entries else {
            throw FormImportError(.file, "the workbook has more than \(limits.entries) parts")
        }
        var names: [String: zip_uint64_t] = [:]
        var all: UInt64 = 0
        for index in 0..<zip_uint64_t(max(0, count)) {
            var stat = zip_stat_t()
            guard zip_stat_index(archive, index, 0, &stat) == 0, let name = stat.name else {
                throw damaged("number \(index)")
            }
            let text = String(cString: name)
            guard stat.encryption_method == ZIP_EM_NONE else {
                throw FormImportError(
                    .file, "the workbook is protected: save as .xlsx without a password")
            }
            all = all.addingReportingOverflow(stat.size).partialValue
            let isBomb =
                stat.size > limits.ratioCountsFrom
                && stat.size / max(1, stat.comp_size) > limits.ratio
            guard stat.size <= limits.entryBytes, all <= limits.allBytes, !isBomb else {
                throw FormImportError(.file, "\(text) unpacks to more than a workbook may hold")
            }
            if names[text] == nil { names[text] = index }
        }
        return names
    }

    private static func damaged(_ name: String) -> FormImportError {
        FormImportError(.file, "the part \(name) of the workbook is damaged")
    }
}

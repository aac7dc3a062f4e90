/// A form in whatever of the kinds that are read.
package enum FormFile {
    /// - Parameter name: the file's name without folder; names a workbook that does not name itself.
    package static func read(
        _ bytes: [UInt8], name: String
    ) throws(FormImportError) -> ImportedForm {
        if bytes.starts(with: [0x50, 0x4B]) || bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
            let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
            return try XLSFormReader.read(bytes, name: stem)
        }
        return try XFormReader.read(bytes)
    }
}

/** A file or folder of an archive. */
export interface ArchiveEntry {
  /** A checked relative path with slashes, see `entry-names.ts`. */
  path: string
  isFolder: boolean
  /** The content of a file. It is read once, before the next entry. Fails at its end if the content is damaged. */
  content: AsyncIterable<Buffer>
}

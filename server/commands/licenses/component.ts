/** Something that is part of Quire, with the license of its authors. */
export interface Component {
  name: string
  /** Null = it has none. */
  version: string | null
  /** An SPDX expression, or what the authors wrote in its place. */
  license: string
  url: string | null
  /** The texts of the license and of notices; '' = the authors ship none. */
  text: string
}

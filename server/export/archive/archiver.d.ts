// archiver 8 has no types. This file declares the part of its API that archive.ts and the benchmark use.
declare module 'archiver' {
  import type { Stats } from 'node:fs'
  import type { Readable, Transform } from 'node:stream'
  import type { ZlibOptions } from 'node:zlib'

  export interface EntryData {
    name: string
    date: Date
    mode: number
    stats?: Stats
  }
  export class Archiver extends Transform {
    append(source: Readable | Buffer | string, data: EntryData): this
    finalize(): Promise<void>
    abort(): this
  }
  export class ZipArchive extends Archiver {
    constructor(options?: { zlib?: ZlibOptions })
  }
  export class TarArchive extends Archiver {
    constructor(options?: { gzip?: boolean; gzipOptions?: ZlibOptions })
  }
}

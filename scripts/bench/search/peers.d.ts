// The parts of these packages that the benchmark uses. `npm run bench` installs the packages and their types.
declare module 'minisearch' {
  export interface IndexOptions {
    fields: string[]
  }

  export interface MiniSearchHit {
    id: number
    /** Matched terms of the index. */
    terms: string[]
  }

  export interface SearchOptions {
    boost?: Record<string, number>
    prefix?: boolean | ((term: string, index: number, terms: string[]) => boolean)
    fuzzy?: number | ((term: string) => number | false)
    combineWith?: 'AND' | 'OR'
    weights?: { fuzzy: number; prefix: number }
  }

  export default class MiniSearch {
    constructor(options: IndexOptions)
    static loadJSON(json: string, options: IndexOptions): MiniSearch
    add(document: { id: number; [field: string]: unknown }): void
    search(question: string, options: SearchOptions): MiniSearchHit[]
    toJSON(): object
  }
}

declare module 'esbuild' {
  export function transform(
    code: string,
    options: { minify: boolean; format?: 'iife'; globalName?: string; charset?: 'ascii' },
  ): Promise<{ code: string }>

  export function build(options: {
    stdin: { contents: string; resolveDir: string }
    bundle: true
    minify: boolean
    format: 'iife'
    charset: 'ascii'
    write: false
  }): Promise<{ outputFiles: { text: string }[] }>
}

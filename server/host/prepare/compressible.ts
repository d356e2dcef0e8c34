import { extname } from 'node:path'

/** Files that become smaller by compression. Pictures, videos, fonts in WOFF and archives are compressed already. */
const extensions = new Set(
  (
    '.atom .bmp .cjs .css .csv .eot .htm .html .ico .js .json .jsonld .map .md .mjs .otf .rss .svg .ttf .txt .vtt .wasm ' +
    '.webmanifest .xhtml .xml .xsl .yaml .yml'
  ).split(' '),
)

/** A smaller file fits into one packet with its headers. */
const leastBytes = 512

/** Decides by name and size whether compressing a file is worth it. */
export function isCompressible(path: string, sizeBytes: number): boolean {
  return sizeBytes >= leastBytes && extensions.has(extname(path).toLowerCase())
}

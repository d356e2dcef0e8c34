import { type ArchivedFile, packTarGz, packZip } from './archive.ts'
import { sha256, toHex } from './sha256.ts'

/** The archive behind the links of the mock. */
export interface MockBundle {
  bytes: Uint8Array<ArrayBuffer>
  sha256: string
}

const style = 'body { max-width: 40rem; margin: 3rem auto; font: 1rem/1.6 system-ui, sans-serif; }\n'

const pages = [
  {
    path: 'index.html',
    title: 'Example documentation',
    text: 'This site is in every bundle of the mock. <a href="guides/quickstart.html">Quickstart</a>',
  },
  {
    path: 'guides/quickstart.html',
    title: 'Quickstart',
    text: 'A bundle of the server has the pages of your site. <a href="../index.html">Start page</a>',
  },
]

const packed = new Map<string, MockBundle>()

/** Returns the archive of a tiny site. It opens without a server. */
export function packSite(format: 'zip' | 'tar.gz'): MockBundle {
  const known = packed.get(format)
  if (known) return known
  const files: ArchivedFile[] = [...pages.map(toFile), { path: 'style.css', text: style }]
  const bytes = format === 'zip' ? packZip(files) : packTarGz(files)
  const bundle = { bytes, sha256: toHex(sha256(bytes)) }
  packed.set(format, bundle)
  return bundle
}

function toFile({ path, title, text }: (typeof pages)[number]): ArchivedFile {
  const top = '../'.repeat(path.split('/').length - 1)
  return {
    path,
    text: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="stylesheet" href="${top}style.css">
<h1>${title}</h1>
<p>${text}</p>
</html>
`,
  }
}

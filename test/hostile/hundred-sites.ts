import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { rounds } from '../support/rounds.ts'
import { page } from './hostile-site.ts'

/** Bytes of a long file. */
const longBytes = 3_000_000
const fragments = ['\t', 'url(L', '<a ', '"', '${', '/*', '&', '%41', '{"a":', '((', '`', ']]>', '--x', '../'] as const

/** Answers a request of a hostile site. `variant` is 0 to 3; `base` is the path of the site. */
type Kind = (path: string, res: ServerResponse, variant: number, base: string) => void

const repeated = (text: string) => text.repeat(Math.ceil(longBytes / text.length))
const send = (res: ServerResponse, body: string | Buffer, type = 'text/html; charset=utf-8', headers = {}) =>
  void res.writeHead(200, { 'content-type': type, ...headers }).end(body)
const links = (...names: string[]) => names.map(name => `<a href="${name}">${name}</a>`).join(' ')

/** A first page with this markup, and one file of it. */
const withFile =
  (name: string, markup: string, type: string, body: (fragment: string) => string): Kind =>
  (path, res, variant) => {
    if (path === '') send(res, page(name, markup))
    else if (path === name) send(res, body(fragments[variant] ?? ''), type)
    else res.writeHead(404).end()
  }
/** A first page that is shown by this script. */
const withScript =
  (script: (variant: number) => string): Kind =>
  (path, res, variant) =>
    path === ''
      ? send(
          res,
          `<!doctype html><div id="a"></div><script>a.textContent = "shown ".repeat(60);${script(variant)}</script>`,
        )
      : void res.writeHead(404).end()
/** A first page with long markup. */
const withMarkup =
  (markup: (fragment: string) => string): Kind =>
  (path, res, variant) =>
    path === '' ? send(res, page('long', markup(fragments[variant + 4] ?? ''))) : void res.writeHead(404).end()
/** A site that answers every path alike. */
const everywhere =
  (answer: (path: string, res: ServerResponse, variant: number) => void): Kind =>
  (path, res, variant) =>
    path.startsWith('robots.txt') ? void res.writeHead(404).end() : answer(path, res, variant)

const style = '<link rel="stylesheet" href="a.css">'
const kinds: readonly Kind[] = [
  withFile('a.js', '<script src="a.js"></script>', 'text/javascript', fragment => `//from${repeated(fragment)}`),
  withFile('a.css', style, 'text/css', fragment => `@font-face{src:${repeated(`url(${fragment}`)}`),
  withFile('a.css', style, 'text/css', fragment => repeated(`@font-face{${fragment}`)),
  withFile('a.mjs', '<script type="module" src="a.mjs"></script>', 'text/javascript', f => repeated(`import("${f}`)),
  withFile('a.svg', '<img src="a.svg">', 'image/svg+xml', fragment => `<svg>${repeated(`<use href="#${fragment}`)}`),
  withFile('a.webmanifest', '<link rel="manifest" href="a.webmanifest">', 'application/json', f => repeated(`[{"${f}`)),
  withFile('sitemap.xml', '', 'application/xml', fragment => `<urlset>${repeated(`<url><loc>${fragment}`)}`),
  withFile('robots.txt', '', 'text/plain', fragment => `User-agent: *\nDisallow: /${repeated(`a*${fragment}`)}$`),
  withFile('llms.txt', '', 'text/plain', fragment => `# a\n${repeated(`[${fragment}](`)}`),
  withMarkup(fragment => repeated(`<div title="${fragment}`)),
  withMarkup(fragment => `<!--${repeated(fragment)}`),
  withMarkup(fragment => `<img srcset="${repeated(`${fragment} 1x,`)}">`),
  withMarkup(fragment => `<script type="importmap">{"imports":{"${repeated(fragment)}`),
  withMarkup(fragment => `<p style="background:url(${repeated(fragment)}">`),
  withMarkup(() => repeated('<div>')),
  withScript(() => 'for (;;);'),
  withScript(() => 'const all = []; setInterval(() => all.push(new Uint8Array(5e7).fill(1)), 20)'),
  withScript(() => 'setInterval(() => new Worker(URL.createObjectURL(new Blob(["for (;;);"]))), 50)'),
  withScript(variant => `setInterval(() => { location.href = "?" + Math.random() }, ${10 ** variant})`),
  withScript(
    () => 'let f = document.body; for (let i = 0; i < 1e6; i++) f = f.appendChild(document.createElement("p"))',
  ),
  everywhere((path, res) => void res.writeHead(302, { location: `${path}x` }).end()),
  everywhere((path, res) =>
    send(res, page(path, links(`${path.length}${path.slice(0, 40)}a/`, `b${path.slice(0, 40)}/`))),
  ),
  everywhere((_, res) => send(res, gzipSync(Buffer.alloc(2e8)), 'text/html', { 'content-encoding': 'gzip' })),
  everywhere(
    (_, res) => void res.writeHead(200, { 'content-type': 'text/html', 'x-long': 'a'.repeat(1e6) }).end('<p>a'),
  ),
  everywhere((_, res) => {
    res.writeHead(200, { 'content-type': 'text/html' })
    const dripping = setInterval(() => res.write('<p>more '), 100)
    res.on('close', () => clearInterval(dripping))
  }),
]
/** How many sites there are. */
export const hostileSites = kinds.length * rounds(4)

/** Serves the hostile sites, each in a folder with its number. */
export async function startHostileSites(): Promise<{ origin(site: number): string; close(): Promise<void> }> {
  const answer = (req: IncomingMessage, res: ServerResponse) => {
    res.on('error', () => {})
    const [, site = '', path = ''] = /^\/(\d+)\/([^?]*)/.exec(req.url ?? '') ?? []
    const kind = kinds[Number(site) % kinds.length]
    if (site === '' || !kind) res.writeHead(404).end()
    else kind(path, res, Math.floor(Number(site) / kinds.length), `/${site}/`)
  }
  const server = createServer(answer)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    origin: site => `http://127.0.0.1:${port}/${site}/`,
    close: () =>
      new Promise(done => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

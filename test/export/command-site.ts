import { createRandom } from '../support/random.ts'
import { page, startFakeSite } from './fake-site.ts'
import type { RunningServer } from './static-server.ts'

const random = createRandom('endless links')

/** Starts a site for `quire export`: two pages, a dead link, a robots.txt, and pages without end below /endless. */
export function startCommandSite(): Promise<RunningServer> {
  return startFakeSite(path => {
    if (path === '/endless' || path.startsWith('/endless/'))
      return page(path, `<a href="/endless/${random()}">x</a><a href="/endless/${random()}">y</a>`)
    const known: Record<string, string> = {
      '/': page('home', '<a href="/a">a</a><a href="/gone">b</a>'),
      '/a': page('a'),
      '/robots.txt': 'User-agent: *\nDisallow: /a',
    }
    return (
      known[path] &&
      (path === '/robots.txt' ? { body: known[path], headers: { 'content-type': 'text/plain' } } : known[path])
    )
  })
}

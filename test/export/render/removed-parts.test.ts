import { expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite, page, startFakeSite } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'

const reference = `
  document.querySelector('#api').innerHTML = '<div class="scalar-api-reference"><h2>Shop API</h2><p>Lists the pets.</p>' +
    '<div class="agent-scalar">Agent</div><button>Ask AI</button><div class="explore-scalar"><button>Generate MCP</button></div>' +
    '<div class="scalar-reference-intro-auth"><input value="key"></div></div>'
  document.body.insertAdjacentHTML('beforeend', '<button>Authorize</button>')`

test.skipIf(!findBrowser())(
  `a part of a reference is reported as removed only if the page lacks it (needs a Chromium: ${installCommand()})`,
  async () => {
    const site = await startFakeSite({
      '/': page('home', '<div id="api"></div><script src="/@scalar/api-reference.js"></script>'),
      '/@scalar/api-reference.js': { body: reference, headers: { 'content-type': 'text/javascript' } },
    })
    const { report, entries } = await exportFakeSite(site.origin, { verify: 'static' }).finally(() => site.close())
    const text = readEntry(entries, 'index.html')
    expect(text).toContain('Lists the pets.')
    expect(text).not.toMatch(/Ask AI|Agent|Generate MCP|value="key"/)
    expect(text).toContain('Authorize')
    expect(report.frozenReferences).toEqual([{ page: '/', product: 'Scalar', removed: ['Ask AI', 'Generate MCP'] }])
  },
)

import { expect, test } from 'vitest'
import { buildDocumentation } from '../../server/docs/documentation.ts'

const document = { info: { title: 'Quire', version: '1' }, paths: {}, components: { schemas: {} } }

test('an address of this machine is an example and no link', () => {
  const readme =
    'It serves on http://127.0.0.1:8787 and [here](http://localhost:8787/docs/), see https://example.com/a.'
  const html = buildDocumentation({ readme, changelog: '', document }).get('/docs/')?.body ?? ''
  expect(html).toContain('It serves on http://127.0.0.1:8787 and here, see <a href="https://example.com/a">')
})

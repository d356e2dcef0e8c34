import { expect, test } from 'vitest'
import { createHostTerminal } from '../../server/commands/host-terminal.ts'
import type { Version } from '../../server/host/versions/version.ts'

const version: Version = {
  ...{ id: '0f3c9a1b2d4e5f60', sha256: '0f', sizeBytes: 5_000_000, files: 12, unpackedAt: 0 },
  ...{ label: '2.1', domain: 'docs.example.com', deployment: null, pages: 10, products: [] },
  source: { name: 'docs.zip', address: null, etag: null, lastModified: null },
}

/** Returns the lines that a terminal shows at the end: a redrawn line replaces the one before. */
function show(use: (terminal: ReturnType<typeof createHostTerminal>) => void): string[] {
  const written: unknown[] = []
  use(createHostTerminal({ columns: 60, write: text => written.push(text) > 0 }))
  return written
    .join('')
    .split('\n')
    .map(line => line.split('\r\u001b[K').at(-1) ?? '')
}

test('the address follows the progress, and each later version is one line', () => {
  const lines = show(terminal => {
    terminal.progress({ stage: 'fetch', source: 'files.example.com' })
    terminal.progress({ stage: 'unpack', sizeBytes: version.sizeBytes })
    terminal.progress({ stage: 'compress', done: 0, known: 12 })
    terminal.serving(version)
    terminal.listening('http://127.0.0.1:8080')
    terminal.progress({ stage: 'fetch', source: 'files.example.com' })
    terminal.clear()
    terminal.serving({ ...version, label: null, pages: null, domain: null })
  })
  expect(lines).toEqual([
    'Serving docs.example.com 2.1 (10 pages, 0f3c9a1b2d4e5f60) at',
    '  http://127.0.0.1:8080/',
    'Ctrl-C stops it.',
    'Serving the site (12 files, 0f3c9a1b2d4e5f60) now.',
    '',
  ])
})

test('progress fits the terminal, and a label cannot control it', () => {
  const [line] = show(terminal => terminal.progress({ stage: 'fetch', source: `/srv/${'long/'.repeat(30)}docs.zip` }))
  expect(line).toHaveLength(59)
  expect(line).toMatch(/^Fetching the bundle from \/srv\/long/)
  const [, , , served] = show(terminal => {
    terminal.listening('http://127.0.0.1:8080')
    terminal.serving({ ...version, label: '\u001b[31m' })
  })
  expect(served).toContain('docs.example.com \\u001b[31m (10 pages')
})

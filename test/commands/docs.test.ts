import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'quire-docs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('an agent that starts `quire docs` reads the folder of a bundle', async () => {
  writeFileSync(join(folder, 'index.html'), '<h1>Home</h1><p>Text')
  writeFileSync(join(folder, 'export-report.json'), JSON.stringify({ domain: 'docs.example.com', pages: 1 }))
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['server/main.ts', 'docs', folder],
      cwd: process.cwd(),
    }),
  )
  try {
    const { content } = await client.callTool({ name: 'read_page', arguments: { page: 'index' } })
    expect(content).toEqual([{ type: 'text', text: '---\ntitle: "Home"\n---\n\n# Home\n\nText\n' }])
  } finally {
    await client.close()
  }
})

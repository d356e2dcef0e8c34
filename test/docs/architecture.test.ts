import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderLayers, serverLayers } from '../../scripts/layers.ts'
import { texts } from './shipped-documentation.ts'

const page = texts.get('server/docs/pages/architecture.md') ?? ''

/** The names in the first column of the table below a heading, line by line. */
function readLayers(heading: string): string[][] {
  const section = page.split(/\n#+ /).find(part => part.startsWith(`${heading}\n`)) ?? ''
  const rows = section.split('\n').filter(line => line.startsWith('| `'))
  return rows.map(row => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

const asShown = (name: string) => (name.includes('.') ? name : `${name}/`)

test('the page shows the layers that the lint rules enforce', () => {
  expect(readLayers('The layers of server/')).toEqual(serverLayers.map(line => line.map(asShown)))
  const files = readdirSync(join(import.meta.dirname, '../../server/export')).filter(name => name.endsWith('.ts'))
  expect(readLayers('The layers of server/export/')).toEqual(
    folderLayers.export?.map(line => line.flatMap(name => (name === '.' ? files.sort() : [asShown(name)]))),
  )
})

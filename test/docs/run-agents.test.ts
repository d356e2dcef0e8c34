import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forges } from '../../server/agent/agent-source.ts'
import { runEnds } from '../../server/agent/run-end.ts'
import { presetNames, presets } from '../../server/agent/session/presets.ts'
import { repository, texts } from './shipped-documentation.ts'

const text = [...texts].find(([file]) => file.endsWith('/run-agents.md'))?.[1] ?? ''

/** The cells of the rows below a heading. */
function listRows(heading: string): string[][] {
  const section = text.split(/^## /m).find(part => part.startsWith(`${heading}\n`)) ?? ''
  const rows = section.match(/^\|.*\|$/gm) ?? []
  return rows.slice(2).map(row => row.slice(2, -2).split(' | '))
}

test('the table of ends has each end with the status of its job', () => {
  const rows = listRows('How a job ends').map(([end = '', status]) => [end.replaceAll('`', ''), status])
  expect(Object.fromEntries(rows)).toEqual(runEnds)
})

test('the tables of agents and forges have each, and the version that was tried', () => {
  const agents = listRows('Agents').map(([name = '', , tried]) => [name.replaceAll('`', ''), tried])
  expect(agents.slice(0, presetNames.length)).toEqual(presetNames.map(name => [name, presets[name].tried]))
  expect(listRows('Where changes go').map(([name]) => name)).toEqual(forges.map(name => `\`${name}\``))
})

test('each line about trust names a test that exists', () => {
  const rows = listRows('Trust')
  expect(rows.length).toBeGreaterThan(10)
  for (const [attempt = '', , tests = ''] of rows) {
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file)
    expect([attempt, files.map(file => existsSync(join(repository, file)))]).toEqual([attempt, files.map(() => true)])
    expect(files).not.toEqual([])
  }
})

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { hostSettings } from '../../server/flags/host-settings.ts'
import { serveSettings } from '../../server/flags/serve-settings.ts'
import type { Setting } from '../../server/flags/setting.ts'
import { texts } from '../docs/shipped-documentation.ts'

const server = join(import.meta.dirname, '../../server')
const programs: [folder: string, settings: readonly Setting[]][] = [
  ['deployment', Object.values(serveSettings)],
  ['host', Object.values(hostSettings)],
]

/** The files that run a program in containers: the chart, the image, and what Compose reads. */
function readFiles(folder: string): string[] {
  const files = globSync('{Containerfile,*.yaml,chart/**/*.{yaml,json,tpl}}', { cwd: join(server, folder) })
  return files.map(file => readFileSync(join(server, folder, file), 'utf8'))
}

const namesIn = (text: string) => text.match(/\bQUIRE_[A-Z0-9_]+/g) ?? []

const known = new Set(programs.flatMap(([, settings]) => settings.map(({ env }) => env)))

test.each(programs)('the files of %s have only variables of settings', folder => {
  const named = readFiles(folder).flatMap(namesIn)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(name => !known.has(name))).toEqual([])
})

test.each(programs)('values of the chart of %s that become settings have their defaults', (folder, settings) => {
  const values = parse(readFileSync(join(server, folder, 'chart/values.yaml'), 'utf8'))
  const written = readFiles(folder).flatMap(text => [
    ...text.matchAll(/- name: (QUIRE_\w+)\s+value: \{\{ \.Values\.([\w.]+) \| quote \}\}/g),
  ])
  const given = written.flatMap(([, name, path = '']) => {
    const setting = settings.find(({ env }) => env === name)
    const value = path.split('.').reduce((inner, key) => inner[key], values)
    // An empty value is none. A default that depends on the machine has no place in a chart.
    return value === '' || setting?.shownDefault !== undefined ? [] : [[name, value, setting?.default]]
  })
  expect(given.length).toBeGreaterThan(0)
  for (const [name, value, fallback] of given) expect([name, value]).toEqual([name, fallback])
})

test('the chart of the servers refuses the variables that it sets itself', () => {
  const chart = join(server, 'deployment/chart')
  const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'))
  const templates = globSync('templates/*', { cwd: chart }).map(file => readFileSync(join(chart, file), 'utf8'))
  const set = templates.flatMap(text => [...text.matchAll(/- name: (QUIRE_\w+)/g)].map(([, name]) => name))
  expect(schema.properties.settings.propertyNames.not.enum.toSorted()).toEqual(set.sort())
})

test('the defaults that the documentation names are those of the settings', () => {
  const all = programs.flatMap(([, settings]) => settings)
  const named = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/`(--[\w-]+)`[^`.|]*?(\d+) by default/g)].map(([, flag, value]) => ({ file, flag, value })),
  )
  expect(named.length).toBeGreaterThan(1)
  const isWrong = ({ flag, value }: (typeof named)[number]) =>
    !all.some(setting => setting.flag.startsWith(`${flag} `) && String(setting.default) === value)
  expect(named.filter(isWrong)).toEqual([])
})

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { parseAllDocuments } from 'yaml'

/** The Debian packages that render the templates of a chart. */
export const chartPackages = ['golang-go', 'golang-github-masterminds-sprig-dev', 'golang-gopkg-yaml.v3-dev']
const sprig = '/usr/share/gocode/src/github.com/Masterminds/sprig'
const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
const isReady = () => existsSync(sprig) && existsSync('/usr/bin/go')

/** Whether `renderChart` has what it needs, or can install it. */
export const canRender = isReady() || isDebianRoot

// biome-ignore lint/suspicious/noExplicitAny: the resources of Kubernetes have no types here
export type Resource = any

/** Renders a chart as the release `docs`, once for each of the values. Returns the resources by the names of the values. */
export function renderChart(chart: string, valueSets: Record<string, object>): Map<string, Resource[]> {
  const rendered = new Map<string, Resource[]>()
  if (!isReady() && isDebianRoot) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    spawnSync('apt-get', ['update', '-qq'], { env })
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...chartPackages], { env })
  }
  if (!isReady()) return rendered
  renderer ??= buildRenderer()
  const input = JSON.stringify(Object.values(valueSets).map(values => ({ release: 'docs', values })))
  const { stdout, stderr } = spawnSync(renderer, [chart], { input, maxBuffer: 1e8 })
  expect(String(stderr)).toBe('')
  const outputs = JSON.parse(String(stdout)) as { files: Record<string, string> | null; error: string }[]
  for (const [index, name] of Object.keys(valueSets).entries()) {
    const { files, error } = outputs[index] ?? { files: null, error: 'no output' }
    if (error !== '') throw new Error(`${name}: ${error}`)
    rendered.set(name, Object.values(files ?? {}).flatMap(parseFile))
  }
  return rendered
}

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** The path of the program, once it is built. */
let renderer: string | undefined

function buildRenderer(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quire-chart-'))
  folders.push(folder)
  const program = join(folder, 'render')
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOPATH: '/usr/share/gocode',
    GOCACHE: join(folder, 'cache'),
    GOFLAGS: '',
  }
  const source = join(import.meta.dirname, '../host/chart/render/main.go')
  expect(String(spawnSync('go', ['build', '-o', program, source], { env }).stderr)).toBe('')
  return program
}

function parseFile(text: string): Resource[] {
  return parseAllDocuments(text).flatMap(document => {
    expect(document.errors).toEqual([])
    return document.toJS() ?? []
  })
}

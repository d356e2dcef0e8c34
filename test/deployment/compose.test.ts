import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { serveSettings } from '../../server/flags/serve-settings.ts'
import { toOption } from '../../server/flags/setting.ts'
import { createConfig } from '../support/server.ts'
import { deployment } from './chart-values.ts'

interface Service {
  environment?: Record<string, string>
  depends_on?: Record<string, { condition: string }>
  secrets?: string[]
  image?: string
}

const file = join(deployment, 'compose.yaml')
const { services, secrets } = parse(readFileSync(file, 'utf8'), { merge: true }) as {
  services: Record<string, Service>
  secrets: Record<string, { file: string }>
}
const folder = mkdtempSync(join(tmpdir(), 'quire-compose-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const ofQuire = Object.entries(services).filter(([, { image }]) => image === 'quire-server')

test('there are two API servers, two runners, a migration, and what they need', () => {
  const roles = ofQuire.map(([name, { environment }]) => [name, environment?.QUIRE_ROLE])
  expect(Object.fromEntries(roles)).toEqual({
    migration: undefined,
    'api-1': 'api',
    'api-2': 'api',
    'runner-1': 'runner',
    'runner-2': 'runner',
  })
  expect(Object.keys(services)).toEqual(expect.arrayContaining(['database', 'storage', 'bucket', 'proxy']))
  for (const { depends_on = {}, secrets: used = [] } of Object.values(services)) {
    expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(depends_on)))
    expect(Object.keys(secrets)).toEqual(expect.arrayContaining(used))
  }
})

test.each(ofQuire)(
  '%s has only settings that the server has, and together they are accepted',
  (_, { environment = {} }) => {
    const options = Object.values(serveSettings).map(toOption)
    const known = options.map(({ envVar }) => envVar)
    const ours = Object.entries(environment).filter(([name]) => name.startsWith('QUIRE_'))
    for (const [name] of ours) expect(known).toContain(name)
    const given = ours.map(([name, value]) => {
      const option = options.find(({ envVar }) => envVar === name)
      const text = value.replace(/\$\{(\w+):-([^}]*)\}/, '$2').replace(/\$\{\w+:\?\}/, 'secret')
      return [option?.attributeName(), option?.parseArg ? option.parseArg(text, undefined as never) : text]
    })
    expect(createConfig({ data: folder, ...Object.fromEntries(given) }).database).toBe(
      'postgres://quire:secret@database/quire',
    )
  },
)

test('.gitignore lists the secrets that Compose reads beside its file', () => {
  const root = join(deployment, '../..')
  const listed = readFileSync(join(root, '.gitignore'), 'utf8').split('\n')
  const files = Object.values(secrets).map(secret => secret.file)
  for (const file of ['.env', ...files]) expect(listed).toContain(relative(root, join(deployment, file)))
})

test.skipIf(!existsSync('/usr/bin/docker-compose'))('Compose accepts the file (apt-get install docker-compose)', () => {
  const env = { ...process.env, POSTGRES_PASSWORD: 'a', S3_SECRET: 'b' }
  const { status, stderr } = spawnSync('docker-compose', ['--file', file, 'config', '--quiet'], { env })
  expect([status, String(stderr)]).toEqual([0, ''])
  const without = spawnSync('docker-compose', ['--file', file, 'config', '--quiet'], {
    env: { PATH: process.env.PATH },
  })
  expect(String(without.stderr)).toContain('POSTGRES_PASSWORD')
})

test.skipIf(!existsSync('/usr/sbin/nginx'))(
  'nginx accepts the configuration of the proxy (apt-get install nginx)',
  () => {
    const text = readFileSync(join(deployment, 'nginx.conf'), 'utf8')
    for (const name of ['api-1', 'api-2']) expect(text).toContain(`server ${name}:8080 `)
    const local = text
      .replaceAll(/api-\d:8080/g, () => '127.0.0.1:8080')
      .replace('/var/log/nginx', folder)
      .replace('listen 80', 'listen 127.0.0.1:8089')
    const config = join(folder, 'nginx.conf')
    writeFileSync(config, `pid ${folder}/nginx.pid;\nevents {}\nhttp {\n${local}}\n`)
    const { status, stderr } = spawnSync('/usr/sbin/nginx', ['-t', '-q', '-c', config, '-e', 'stderr'])
    expect([status, String(stderr)]).toEqual([0, ''])
  },
)

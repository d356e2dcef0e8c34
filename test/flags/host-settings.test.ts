import { Command } from 'commander'
import { expect, test } from 'vitest'
import { OperatorError } from '../../server/base/operator-error.ts'
import { hostSettings, readHostConfig } from '../../server/flags/host-settings.ts'
import { addSettings } from '../../server/flags/setting.ts'

/** Reads a command line as `quire host` does. */
function read(...args: string[]) {
  const command = new Command('host')
    .argument('[bundle]')
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
  addSettings(command, hostSettings).parse(args, { from: 'user' })
  return readHostConfig(command.args[0], command.opts())
}

test('a bundle is a file or a link, as the argument or as a flag', () => {
  expect(read('docs.zip').update.source).toEqual({ kind: 'file', path: expect.stringMatching(/\/docs\.zip$/) })
  const url = 'https://api.example.com/bundles/se_1/docs.zip?expires=1&signature=ab'
  expect(read(url).update.source).toEqual({ kind: 'url', url: new URL(url) })
  expect(read('--bundle', url).update.source).toEqual({ kind: 'url', url: new URL(url) })
  expect(read().update.source).toBeNull()
})

test('an empty value is none, because a chart sets each variable', () => {
  const config = read(
    '--bundle',
    '',
    '--version',
    '',
    '--sha256',
    '',
    '--features',
    '',
    '--feature-host',
    '',
    '--access-log',
    '',
  )
  expect(config).toMatchObject({ update: { source: null, label: null, sha256: null }, accessLog: null, visits: null })
})

test('limits and switches become settings', () => {
  const config = read(
    ...['--max-bundle-mb', '1', '--max-entries', '7', '--max-unpacked-mb', '2', '--max-ratio', '9', '--watch', '60'],
    ...['--deployment', 'client-hosted', '--features', 'search, analytics=off', '--features', 'assistant=on'],
    ...['--feature-host', 'search=https://s.example,playground=https://api.example'],
  )
  expect(config.update).toMatchObject({
    maxBundleBytes: 1024 ** 2,
    unpackLimits: { entries: 7, totalBytes: 2 * 1024 ** 2, ratio: 9 },
  })
  expect(config.watchMs).toBe(60_000)
  expect(config.switches).toEqual({
    deployment: 'client-hosted',
    features: { search: true, assistant: true, analytics: false, playground: true },
    featureHosts: [
      { feature: 'search', origin: 'https://s.example' },
      { feature: 'playground', origin: 'https://api.example' },
    ],
  })
})

test('visits need a log in a file', () => {
  const config = read('--visits-data', 'quire', '--project', 'Docs', '--data', '/srv/host')
  expect([config.accessLog, config.visits?.project]).toEqual(['/srv/host/access.log', 'Docs'])
})

const database = 'postgres://db.example.com/quire'

test('visits are counted in a database with the key of a file or of a data folder', () => {
  const common = ['--visits-database', database, '--project', 'Docs', '--data', '/srv/host']
  expect(read(...common, '--visitor-key-file', 'v.key', '--node', 'host-1').visits).toMatchObject({
    ...{ database, visitorKeyFile: 'v.key', node: 'host-1', project: 'Docs' },
  })
  expect(read(...common, '--visits-data', '/srv/quire').visits).toEqual({
    ...{ dataFolder: '/srv/quire', database, project: 'Docs' },
  })
  expect(read('--visitor-key-file', 'v.key', '--visits-database', '').visits).toBeNull()
})

test.each<[string[], RegExp]>([
  [
    ['--deployment', 'cloud', '--features', 'analytics=off'],
    /^features\.analytics is always true for the deployment cloud\./,
  ],
  [['--feature-host', 'playground=https://a.example'], /cannot be used with the deployment air-gapped/],
  [['--visits-data', 'data'], /^--visits-data needs --project, which names the project of the visits\.$/],
  [['--visits-data', 'data', '--project', 'Docs', '--access-log', '-'], /^Visits are counted from the access log, so/],
  [['--count-views', 'all'], /^--count-views writes to the access log. Name its file with --access-log.$/],
  [
    ['--visits-database', database, '--project', 'Docs'],
    /^--visits-database needs --visitor-key-file, or visitor\.key/,
  ],
  [['--visits-database', database, '--visits-data', 'data'], /^--visits-database needs --project,/],
  [['--visits-database', 'mysql://me:secret@db/docs'], /^--visits-database must be like postgres:[^ ]+\.$/],
  [
    ['--visits-data', 'data', '--project', 'Docs', '--visitor-key-file', 'v.key'],
    /^--visitor-key-file needs --visits-database\.$/,
  ],
  [['ftp://a.example/docs.zip'], /^The bundle must be a file, or an http\(s\) URL without user and password\.$/],
  [
    ['https://me:secret@a.example/docs.zip'],
    /^The bundle must be a file, or an http\(s\) URL without user and password\.$/,
  ],
])('%j is wrong usage', (args, message) => {
  expect(() => read(...args)).toThrow(message)
  expect(() => read(...args)).toThrow(OperatorError)
})

test.each<[string[], RegExp]>([
  [['--sha256', 'abc'], /It must be 64 hex digits\./],
  [['--features', 'chat'], /chat is unknown\. Use search, assistant, analytics or playground\./],
  [['--features', 'search=maybe'], /search=maybe must be search=on or search=off\./],
  [['--feature-host', 'https://a.example'], /Write FEATURE=ORIGIN, such as playground=https:\/\/api\.example\.com\./],
  [['--feature-host', 'search=https://a.example/path'], /Write an origin/],
  [['--deployment', 'on-premise'], /Allowed choices are cloud, client-hosted, air-gapped\./],
  [['--watch', '0'], /It must be a whole number from 1 to 86400\./],
])('%j is refused by the option', (args, message) => expect(() => read(...args)).toThrow(message))

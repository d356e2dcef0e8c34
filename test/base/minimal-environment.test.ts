import { expect, test } from 'vitest'
import { browserEnvironment, minimalEnvironment } from '../../server/base/minimal-environment.ts'

const env = {
  PATH: '/usr/bin',
  TZ: 'UTC',
  NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
  PUPPETEER_EXECUTABLE_PATH: '/usr/bin/chromium',
  QUIRE_ALLOW_NO_SANDBOX: '1',
  QUIRE_DATABASE: 'postgres://quire:secret@db/quire',
  AWS_SECRET_ACCESS_KEY: 'secret',
  QUIRE_EXPORT_HEADERS: 'Authorization: secret',
}

test('leaves out every variable that it does not name', () => {
  const { QUIRE_DATABASE: _, AWS_SECRET_ACCESS_KEY: _key, QUIRE_EXPORT_HEADERS: _headers, ...needed } = env
  expect(minimalEnvironment(env)).toEqual(needed)
})

test('gives the browser no variables of Node and Quire', () => {
  expect(browserEnvironment(env)).toEqual({ PATH: '/usr/bin', TZ: 'UTC' })
})

test('reads the variables of this process by default', () => {
  expect(browserEnvironment().PATH).toBe(process.env.PATH)
})

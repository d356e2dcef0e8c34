import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listServiceSteps } from '../../server/commands/service-steps.ts'
import { openStore } from '../../server/store/store.ts'

const unitFile = '/etc/systemd/system/quire.service'
const missing = 'quire-no-such-user'
const start = 'systemctl daemon-reload && systemctl enable --now quire.service'
const usual = { unitFile, user: missing, dataFolder: '/var/lib/quire', program: ['/usr/bin/quire'] }

test('a user that is missing is created, and gets the data folder before the unit starts', () => {
  expect(listServiceSteps(usual)).toEqual({
    commands: [`useradd --system --no-create-home ${missing}`, `chown -R ${missing}: /var/lib/quire`, start],
    hidden: [],
  })
})

test('a user that exists is not created, and the user of this process has its folder', () => {
  const other = process.getuid?.() === 0 ? 'nobody' : 'root'
  expect(listServiceSteps({ ...usual, user: other }).commands).toEqual([`chown -R ${other}: /var/lib/quire`, start])
  expect(listServiceSteps({ ...usual, user: userInfo().username }).commands).toEqual([start])
})

test('a unit elsewhere is installed, and paths are quoted for the shell', () => {
  const { commands } = listServiceSteps({ ...usual, unitFile: '/srv/my units/quire.service', dataFolder: "/srv/it's" })
  expect(commands.slice(1)).toEqual([
    `chown -R ${missing}: '/srv/it'\\''s'`,
    "install -m 644 '/srv/my units/quire.service' /etc/systemd/system/",
    start,
  ])
})

test('paths that the unit hides are named', () => {
  const program = ['/home/ada/node', '/homes/quire.mjs']
  expect(listServiceSteps({ ...usual, dataFolder: '/root', program }).hidden).toEqual(['/root', '/home/ada/node'])
})

const isRoot = process.getuid?.() === 0

test.skipIf(!isRoot)(
  `after the commands, only the user can use a folder that root made${isRoot ? '' : ': needs root'}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'quire-steps-'))
    chmodSync(folder, 0o711)
    try {
      const dataFolder = join(folder, 'data')
      openStore(dataFolder).close()
      const asUser = (user: string) => {
        const args = ['-u', user, '--', 'sh', '-c', 'test -w quire.db && ls']
        return () => execFileSync('runuser', args, { cwd: dataFolder, stdio: 'pipe' })
      }
      expect(asUser('nobody')).toThrow()
      for (const command of listServiceSteps({ ...usual, user: 'nobody', dataFolder }).commands.slice(0, -1))
        execFileSync('sh', ['-c', command])
      expect(asUser('nobody')).not.toThrow()
      expect(asUser('daemon')).toThrow()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hardening, writeServiceUnit } from '../../server/commands/service-unit.ts'

const usual = { program: ['/usr/local/bin/quire'], user: 'quire', dataFolder: '/var/lib/quire' }

test('a data folder below /var/lib is made by systemd', () => {
  const unit = writeServiceUnit({ ...usual, publicUrl: 'https://api.example.com/%41', port: 9000 })
  expect(unit).toContain('\nExecStart=/usr/local/bin/quire serve\nEnvironment=QUIRE_DATA=/var/lib/quire\n')
  expect(unit).toContain('\nEnvironment=QUIRE_PUBLIC_URL=https://api.example.com/%%41\nEnvironment=QUIRE_PORT=9000\n')
  expect(unit).toContain('\nStateDirectory=quire\nStateDirectoryMode=0700\n')
})

test('another data folder is the only place that can be written, and paths with spaces are quoted', () => {
  const unit = writeServiceUnit({
    program: ['/opt/my node', '/opt/q"1/quire.mjs'],
    user: 'web',
    dataFolder: '/srv/my data',
  })
  expect(unit).toContain(
    '\nUser=web\nExecStart="/opt/my node" "/opt/q\\"1/quire.mjs" serve\nEnvironment="QUIRE_DATA=/srv/my data"\n',
  )
  expect(unit).toContain('\nReadWritePaths="/srv/my data"\n')
  expect(unit).not.toContain('StateDirectory')
})

test('the documentation shows a unit with the same restrictions', () => {
  const page = readFileSync(join(import.meta.dirname, '../../server/docs/pages/operate.md'), 'utf8')
  const shown = /# \/etc\/systemd\/system\/quire\.service\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  expect(shown.split('\n').filter(line => hardening.includes(line))).toEqual(hardening)
})

test('systemd finds the unit valid and little exposed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-unit-'))
  try {
    const file = join(folder, 'quire.service')
    writeFileSync(file, writeServiceUnit({ ...usual, program: [process.execPath] }))
    const analyze = (...args: string[]) => spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' })
    const security = analyze('security', '--offline=true', '--no-pager')
    // Machines without systemd cannot check it.
    if ((security.error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return
    const exposure = Number(/Overall exposure level for quire\.service: ([\d.]+)/.exec(security.stdout)?.[1])
    expect(exposure, security.stdout + security.stderr).toBeLessThan(3.5)
    expect(analyze('verify').stderr).not.toMatch(/quire\.service:\d+:/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findProgram, presetNames, presets } from '../../../server/agent/session/presets.ts'

test.for(presetNames)('the preset %s sets its program, model and address by arguments and environment', name => {
  const { command, env, model } = presets[name].create({ model: 'm-1' })
  const text = JSON.stringify([command, env])
  expect([command[0], model]).toEqual([presets[name].program, 'm-1'])
  expect(text).toContain('m-1')
  expect(text).toContain('{modelUrl}')
  expect(JSON.stringify(presets[name].create({ model: 'm-1', modelUrl: 'http://x' }))).not.toContain('{modelUrl}')
})

test('a program of npm is found with its folder node_modules, another one alone', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'quire-programs-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'lib/node_modules/agent/cli.js')
  for (const path of ['bin', 'lib/node_modules/agent']) mkdirSync(join(folder, path), { recursive: true })
  for (const path of [file, join(folder, 'bin/alone'), join(folder, 'bin/text')]) writeFileSync(path, '')
  for (const path of [file, join(folder, 'bin/alone')]) chmodSync(path, 0o755)
  symlinkSync(file, join(folder, 'bin/agent'))
  const path = `relative:${folder}/no:${folder}/bin`
  expect(findProgram('agent', path)).toEqual({ path: file, files: [join(folder, 'lib/node_modules')] })
  expect(findProgram('alone', path)).toEqual({ path: join(folder, 'bin/alone'), files: [join(folder, 'bin/alone')] })
  expect([findProgram('text', path), findProgram('missing', path)]).toEqual([undefined, undefined])
  expect(findProgram('env', '/usr/bin')?.files).toEqual([])
})

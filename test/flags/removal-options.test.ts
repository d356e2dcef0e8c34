import { Command } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { exportCommand } from '../../server/commands/export.ts'
import { sitesCommand } from '../../server/commands/sites.ts'
import { addRemovalOptions, readRemovalFlags } from '../../server/flags/removal-options.ts'

afterEach(() => vi.unstubAllEnvs())

const read = (hasVariables: boolean) =>
  readRemovalFlags(addRemovalOptions(new Command(), { hasVariables }).parse([], { from: 'user' }).opts())

test('a variable has one rule per line, for commands with variables', () => {
  vi.stubEnv('QUIRE_EXPORT_EXCLUDE', '/a/*\n/b/*')
  vi.stubEnv('QUIRE_EXPORT_REMOVE_SELECTORS', '#ask')
  expect(read(true)).toMatchObject({ excludePages: ['/a/*', '/b/*'], removeSelectors: ['#ask'] })
  expect(read(false)).toBeNull()
})

test('the variables of an export do not change what sites store', () => {
  const listVariables = ({ options, commands }: Command): string[] => [
    ...options.flatMap(({ envVar }) => envVar ?? []),
    ...commands.flatMap(listVariables),
  ]
  const isOfExport = (name: string) => name.startsWith('QUIRE_EXPORT_')
  expect(listVariables(sitesCommand() as Command).filter(isOfExport)).toEqual([])
  expect(listVariables(exportCommand() as Command)).toEqual(
    expect.arrayContaining(['QUIRE_EXPORT_EXCLUDE', 'QUIRE_EXPORT_KEEP', 'QUIRE_EXPORT_FEATURES_FILE']),
  )
})

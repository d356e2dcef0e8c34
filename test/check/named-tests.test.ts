import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { routes } from '../../generated/operations.ts'
import { nouns } from '../../server/store/nouns.ts'

const tests = join(import.meta.dirname, '..')
const toFileName = (noun: string) => noun.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

test.each(routes.map(({ operationId }) => operationId))('the operation %s has a test of its own name', name => {
  expect(existsSync(join(tests, 'operations', `${name}.test.ts`))).toBe(true)
})

test.each(Object.keys(nouns))('the noun %s of the store has a test of its own name', name => {
  expect(existsSync(join(tests, 'store', `${toFileName(name)}.test.ts`))).toBe(true)
})

import { expect, test } from 'vitest'
import { findKnownFaults } from '../../../server/export/verify/known-faults.ts'
import type { Place } from '../../../server/export/verify/places.ts'

const origin = {
  failed: ['https://tracker.example/t.js?now=1', 'https://docs.example.com/api/user?id=1'],
  errors: ["TypeError: 'https://docs.example.com/a.js' is no list"],
}
const roots = { root: 'http://localhost/', folder: 'http://localhost/any/sub/folder/', file: 'file:///tmp/bundle/' }
const faultsIn = (name: keyof typeof roots, seen: string[] = []) =>
  findKnownFaults(origin, { name, root: roots[name] } as Place, seen)

test.each([
  ['root', 'http://tracker.example/t.js?now=2', true],
  ['file', 'file://tracker.example/t.js', true],
  ['file', 'file:///api/user?id=1', true],
  ['file', 'file:///tmp/bundle/api/user?id=1', true],
  ['folder', 'http://localhost/api/user?id=1', true],
  ['folder', 'http://localhost/any/sub/folder/api/user?id=1', true],
  ['folder', 'http://localhost/api/user?id=2', false],
  ['file', 'file://tracker.example/other.js', false],
  ['root', 'http://localhost/t.js', false],
] as const)('at %s, %s failed at the origin too: %s', (place, address, isKnown) => {
  expect(faultsIn(place).isKnownRequest(address)).toBe(isKnown)
})

test.each([
  ['file', "TypeError: 'file:///tmp/bundle/a.js' is no list", true],
  ['file', "Loading the script 'file://tracker.example/t.js' violates the following policy", true],
  ['folder', 'Refused to connect to http://tracker.example/t.js.', true],
  ['folder', 'TypeError: x is not a function', false],
] as const)('at %s, the error "%s" is known: %s', (place, error, isKnown) => {
  expect(faultsIn(place).isKnownError(error)).toBe(isKnown)
})

test('an error of a script that reads an answer is known if the request failed at the origin too', () => {
  const error = 'SyntaxError: Unexpected end of JSON input'
  expect(faultsIn('file').isKnownError(error)).toBe(false)
  expect(faultsIn('file', ['file:///tmp/bundle/data.json']).isKnownError(error)).toBe(false)
  expect(faultsIn('file', ['file:///api/user?id=1']).isKnownError(error)).toBe(true)
  expect(faultsIn('file', ['file:///api/user?id=1']).isKnownError('TypeError: x is null')).toBe(false)
})

import { expect, test } from 'vitest'
import { drawBar, drawBars } from '../../server/commands/bars.ts'
import fc from '../support/fast-check.ts'

test.each([
  [0, ''],
  [1, '██████████'],
  [0.5, '█████'],
  [0.55, '█████▌'],
  [0.0001, '▏'],
])('a share of %d', (share, want) => {
  expect(drawBar(share, 10)).toBe(want)
})

test.each([
  [1, 0.5, '█████░░░░░'],
  [0.5, 0.5, '░░░░░'],
  [0.5, 0.01, '█████'],
  [0.01, 0.01, '░'],
])('a share of %d, of which %d is shaded', (share, shaded, want) => {
  expect(drawBar(share, 10, shaded)).toBe(want)
})

test('names are left, counts right, and bars fill the width', () => {
  const rows = [
    { name: '/', cells: ['1,200', '3'], value: 1200 },
    { name: '/guide', cells: ['600', '0'], value: 600 },
  ]
  expect(drawBars({ name: 'PAGE', cells: ['TOTAL', 'AI'] }, rows, 40).split('\n')).toEqual([
    'PAGE          TOTAL  AI',
    '/             1,200   3  ███████████████',
    '/guide          600   0  ███████▌',
  ])
})

test('nothing is wider than the terminal, and no name is cut off', () => {
  const anyName = fc.stringMatching(/^\/[a-z/]{0,150}$/)
  fc.assert(
    fc.property(
      fc.array(fc.record({ name: anyName, value: fc.nat(10_000_000) }), { minLength: 1, maxLength: 9 }),
      fc.integer({ min: 60, max: 200 }),
      (rows, width) => {
        const drawn = drawBars(
          { name: 'PAGE', cells: ['TOTAL'] },
          rows.map(({ name, value }) => ({ name, cells: [String(value)], value })),
          width,
        )
        for (const line of drawn.split('\n')) expect(line.length).toBeLessThanOrEqual(width)
        const letters = drawn
          .split('\n')
          .slice(1)
          .join('')
          .replaceAll(/[^a-z/]/g, '')
        expect(letters).toBe(rows.map(({ name }) => name).join(''))
      },
    ),
  )
})

test('a bar of one character has the shade of the larger part', () => {
  expect(drawBar(0.01, 20, 0.003)).toBe('█')
  expect(drawBar(0.01, 20, 0.007)).toBe('░')
})

import { Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createHistogram } from '../../server/serving/metrics/histogram.ts'
import { createRegistry } from '../../server/serving/metrics/registry.ts'

const buckets = [0.1, 1]

test.each<[string, string[], [Record<string, string | number>, number][]]>([
  ['no labels and no value', [], []],
  [
    'no labels',
    [],
    [
      [{}, 0.5],
      [{}, 0.1],
      [{}, 3],
    ],
  ],
  ['labels and no value', ['status'], []],
  [
    'one label',
    ['status'],
    [
      [{ status: 200 }, 0],
      [{ status: 404 }, 1],
      [{ status: 200 }, 1.5],
    ],
  ],
  [
    'two labels, in any order',
    ['operation', 'status'],
    [
      [{ operation: 'a', status: 200 }, 0.2],
      [{ status: 200, operation: 'b\n"' }, 0.2],
      [{ status: 200, operation: 'a' }, 7],
      [{ operation: 'a', status: 500 }, 7],
    ],
  ],
])('with %s, the text is that of prom-client', async (_, labels, values) => {
  const about = { name: 'a_seconds', help: 'Some "help".' }
  const [ours, theirs] = [new Registry(), new Registry()]
  const { metric, observe } = createHistogram({ ...about, labels }, buckets)
  ours.registerMetric(metric)
  const reference = new Histogram({ ...about, labelNames: labels, buckets, registers: [theirs] })
  for (const [of, value] of values) {
    observe(of, value)
    reference.observe({ ...of }, value)
  }
  const expected = await theirs.metrics()
  expect((await ours.metrics()).split('\n').sort()).toEqual(expected.split('\n').sort())
})

test('a counter keeps its sums over several readings', async () => {
  const metrics = createRegistry()
  const count = metrics.count({ name: 'a_things', help: 'Things.', labels: ['kind'] })
  const all = metrics.count({ name: 'b_things', help: 'All things.' })
  const read = async () => (await metrics.write()).split('\n').filter(line => /^[ab]_things/.test(line))
  expect(await read()).toEqual(['b_things_total 0'])
  count({ kind: 'x' })
  count({ kind: 'y' }, 2)
  count({ kind: 'x' }, 3)
  all({})
  const wanted = ['a_things_total{kind="x"} 4', 'a_things_total{kind="y"} 2', 'b_things_total 1']
  expect(await read()).toEqual(wanted)
  expect(await read()).toEqual(wanted)
})

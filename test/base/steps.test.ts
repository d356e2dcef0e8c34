import { expect, test } from 'vitest'
import { awaitSteps, runSteps, Step } from '../../server/base/steps.ts'

const made: string[] = []
const nouns = {
  jobs: {
    insert(name: string) {
      made.push(name)
      return made.length
    },
    insertLater: async () => 0,
  },
}

test('steps are made in their order, and give their answers', async () => {
  made.length = 0
  expect(
    runSteps(nouns, function* ({ jobs }) {
      const first = yield* jobs.insert('a')
      return [first, yield* jobs.insert('b'), yield* new Step(() => 'own')]
    }),
  ).toEqual([1, 2, 'own'])
  expect(runSteps(nouns, ({ jobs }) => jobs.insert('c'))).toBe(3)
  expect(await awaitSteps(nouns, ({ jobs }) => jobs.insert('d'))).toBe(4)
  expect(made).toEqual(['a', 'b', 'c', 'd'])
})

test('a step without yield* ends the work with an error, so that its transaction is undone', async () => {
  function* forget({ jobs }: { jobs: { insert(name: string): Step<number> } }) {
    jobs.insert('lost')
    return yield* jobs.insert('made')
  }
  const message = '1 of the steps of a transaction lack yield*'
  expect(() => runSteps(nouns, forget)).toThrow(message)
  await expect(awaitSteps(nouns, forget)).rejects.toThrow(message)
})

test('SQLite refuses a step that would have to be waited for', () => {
  expect(() => runSteps(nouns, ({ jobs }) => jobs.insertLater())).toThrow('cannot wait for a promise')
})

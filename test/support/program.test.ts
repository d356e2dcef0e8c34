import { expect, test } from 'vitest'
import { waitFor } from './export-site.ts'
import { runProgram, startProgram } from './program.ts'

const script = (text: string) => ['--eval', text]
const dies = script('console.log("first words"); console.error("last words"); process.exit(3)')

test('a program that ends gives its exit code and its output', async () => {
  expect(await runProgram(dies)).toEqual({ code: 3, stdout: 'first words\n', stderr: 'last words\n' })
})

test('a program can read its input or ignore it', async () => {
  const echo = script('process.stdin.pipe(process.stdout)')
  expect(await runProgram(echo, { input: 'words' })).toMatchObject({ code: 0, stdout: 'words' })
  expect(await runProgram(script('process.exit(4)'), { input: 'x'.repeat(1e7) })).toMatchObject({ code: 4 })
})

// These tests need no timeout: a wait that does not fail would end at the timeout of the test, without the output.
test('waiting for a text of a program that has ended fails with its output', async () => {
  const program = startProgram(dies)
  await expect(program.read(output => output.includes('Listening'))).rejects.toThrow(
    /ended with 3 too early:\n(first words\nlast words|last words\nfirst words)\n$/,
  )
  await expect(program.read(output => output.includes('Listening'))).rejects.toThrow('ended with 3')
  await program.ended
})

test('any other wait fails when a program ends meanwhile', async () => {
  const program = startProgram(dies)
  await expect(waitFor(async () => undefined, 600_000)).rejects.toThrow('ended with 3 too early')
  await program.ended
})

test('the error for a program that a signal ended names the signal', async () => {
  const program = startProgram(script('console.log("up"); setInterval(() => {}, 1000)'))
  await program.read(output => output.includes('up'))
  program.child.kill('SIGKILL')
  await expect(program.read(output => output.includes('never'))).rejects.toThrow('ended with SIGKILL too early')
  await program.ended
})

test('a text that came with the last output is found', async () => {
  const program = startProgram(dies)
  const { code } = await program.ended
  expect([code, await program.read(output => /last \w+/.exec(output)?.[0])]).toEqual([3, 'last words'])
})

test('a program that the test ends does not fail later waits', async () => {
  const program = startProgram(script('console.log("up"); setInterval(() => {}, 1000)'))
  await program.read(output => output.includes('up'))
  expect(await program.end('SIGTERM')).toBeNull()
  expect(await waitFor(async () => 'done')).toBe('done')
})

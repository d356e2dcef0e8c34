import { expect, test } from 'vitest'
import { runProgram, startProgram } from '../support/program.ts'

async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
  const { code, stdout, stderr } = await runProgram(['mock/main.ts', ...args])
  return { code, output: stdout + stderr }
}

test('ends with exit code 1 and one line when the port is in use', async () => {
  const mock = startProgram(['mock/main.ts', '--port', '0', '--quiet'])
  try {
    const url = await mock.read(output => /Listening on (\S+)/.exec(output)?.[1])
    const { code, output } = await run('--port', new URL(url).port)
    expect(code).toBe(1)
    expect(output).toMatch(/^Port \d+ is in use\. .*\n$/)
  } finally {
    await mock.end('SIGINT')
  }
})

test.each([
  ['--port', 'x'],
  ['--port', '65536'],
  ['--prot', '1'],
])('ends with exit code 2 for %s %s', async (...args) => {
  expect(await run(...args)).toMatchObject({ code: 2 })
})

test('shows examples with --help', async () => {
  expect(await run('--help')).toMatchObject({
    code: 0,
    output: expect.stringContaining('npm run mock -- --port 8080'),
  })
})

test('ends with exit code 0 on Ctrl-C', async () => {
  const program = startProgram(['mock/main.ts', '--port', '0'])
  await program.read(output => output.includes('Listening on'))
  expect(await program.end('SIGINT')).toBe(0)
})

import { expect, test } from 'vitest'
import { scenarioNames } from '../../spec/package/mock/index.ts'
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

test('ends with exit code 2 and one line for an unknown scenario', async () => {
  const { code, output } = await run('--scenario', 'none')
  expect(code).toBe(2)
  expect(output).toMatch(/^There is no scenario none\. Choose one of: usual, .*\.\n$/)
})

test('a moving mock prints commands that work, and its scenarios, and refuses a port in use', async () => {
  const mock = startProgram(['mock/main.ts', '--port', '0', '--quiet', '--scenario', 'usual', '--delay', '1'])
  try {
    const url = await mock.read(output => /Listening on (\S+)/.exec(output)?.[1])
    const printed = mock.stdout()
    for (const name of scenarioNames) expect(printed).toContain(`\n  ${name} `)
    const commands = printed.split('\n').filter(line => line.startsWith('  curl ') && !line.includes('JOB_ID'))
    expect(commands.length).toBeGreaterThan(5)
    for (const command of commands) {
      const [, target = ''] = /(http:\/\/[^\s']+)/.exec(command) ?? []
      const [, body] = /-d '([^']+)'/.exec(command) ?? []
      const response = await fetch(target.replace(/&?__delay=\d+/, ''), {
        method: body || command.includes('-X POST') ? 'POST' : 'GET',
        headers: { Authorization: 'Bearer any', ...(body && { 'Content-Type': 'application/json' }) },
        ...(body && { body }),
      })
      expect({ command, status: response.status }).toEqual({
        command,
        status: command.includes('__error=500') ? 500 : body ? 202 : 200,
      })
    }
    const second = await run('--scenario', 'usual', '--port', new URL(url).port)
    expect(second.code).toBe(1)
    expect(second.output).toMatch(/^Port \d+ is in use\. .*\n$/)
  } finally {
    expect(await mock.end('SIGINT')).toBe(0)
  }
})

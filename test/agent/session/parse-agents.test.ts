import { expect, test } from 'vitest'
import { parseAgents } from '../../../server/agent/session/parse-agents.ts'

const find = (name: string) =>
  name === 'qwen' ? { path: '/opt/node_modules/qwen/cli.js', files: ['/opt/node_modules'] } : undefined
const parse = (table: unknown) => parseAgents(JSON.stringify(table), find)

test('a preset becomes an agent with the program of this machine', () => {
  const [agent] = parse({ writer: { preset: 'qwen-code', model: 'm-1', env: { EXTRA: '1' }, files: ['/opt/more'] } })
  expect(agent).toMatchObject({ name: 'writer', model: 'm-1', files: ['/opt/node_modules', '/opt/more'] })
  expect(agent?.command).toEqual(['/opt/node_modules/qwen/cli.js', '--acp', '--approval-mode', 'default'])
  expect(agent?.mode).toBeUndefined()
  expect(parse({ writer: { preset: 'qwen-code', model: 'm-1', mode: 'plan' } })[0]?.mode).toBe('plan')
  expect(agent?.env).toMatchObject({ OPENAI_MODEL: 'm-1', OPENAI_BASE_URL: '{modelUrl}', EXTRA: '1' })
})

test('an agent with a command is taken as it is', () => {
  const own = {
    command: ['/opt/agent', '--model', '{model}'],
    model: 'm',
    files: ['/opt/agent'],
    env: { A: '{work}' },
    mode: 'ask',
  }
  expect(parse({ own })).toEqual([{ name: 'own', ...own }])
})

const base = { command: ['x'], model: 'm' }

test.for([
  [[], 'must be a JSON object such as'],
  [{}, 'must be a JSON object such as'],
  [{ Writer: base }, 'Agent "Writer": the name must have only lower-case letters'],
  [{ a: 1 }, 'must be an object with preset or command'],
  [{ a: { ...base, comand: 1 } }, 'comand is not a field. Did you mean command?'],
  [{ a: { ...base, zzzzzz: 1 } }, 'The fields are preset, command'],
  [{ a: { command: ['x'] } }, 'model must be the name'],
  [{ a: { model: 'm' } }, 'set either preset or command'],
  [{ a: { ...base, preset: 'opencode' } }, 'set either preset or command'],
  [{ a: { model: 'm', preset: 'vim' } }, 'preset must be one of opencode, qwen-code'],
  [{ a: { model: 'm', preset: 'opencode' } }, 'not in PATH. Install it with npm install --global opencode-ai'],
  [{ a: { ...base, command: [] } }, 'command must be an array'],
  [{ a: { ...base, command: 'x' } }, 'command must be an array'],
  [{ a: { ...base, env: { A: 1 } } }, 'env must be an object'],
  [{ a: { ...base, env: { HOME: '/' } } }, 'env cannot set HOME'],
  [{ a: { ...base, mode: 1 } }, 'mode must be the id'],
  [{ a: { ...base, files: ['relative'] } }, 'files must be an array of absolute paths'],
  [{ a: { ...base, files: ['/'] } }, 'files cannot have /, because'],
  [{ a: { ...base, files: ['/home'] } }, 'files cannot have /home, because the confinement has its own /home/agent'],
] as const)('the table %j is refused', ([table, sentence]) => {
  expect(() => parse(table)).toThrow(sentence)
})

test('text that is not JSON is refused', () => {
  expect(() => parseAgents('{')).toThrow('not valid JSON')
})

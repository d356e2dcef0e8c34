import { startProgram } from './program.ts'

const program = `
  import { createServer } from 'node:http'
  const server = createServer((req, res) => res.end('ok'))
  server.listen(0, '127.0.0.1', () => console.log('port ' + server.address().port))`

/** Starts a process that answers every request at once. Its latencies show how busy the machine is. */
export async function startIdleServer(): Promise<{ url: string; end(): Promise<unknown> }> {
  const server = startProgram(['--input-type=module', '--eval', program])
  const port = await server.read(output => /port (\d+)/.exec(output)?.[1])
  return { url: `http://127.0.0.1:${port}`, end: () => server.end('SIGKILL') }
}

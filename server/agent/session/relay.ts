// Runs inside of the confinement, without any other file of Quire: carries connections from a port of this machine to the socket of
// the gate, and runs the program of the agent. Arguments: the socket, the token of the gate, the command.
import { spawn } from 'node:child_process'
import { type AddressInfo, connect, createServer } from 'node:net'
import { constants } from 'node:os'

// The single binary gets its own argument and the name of this program before them.
const given = process.argv.slice(process.argv[2] === '--quire-process' ? 4 : 2)
const [socket = '', token = '', ...command] = given

const server = createServer({ allowHalfOpen: true }, client => {
  const gate = connect({ path: socket, allowHalfOpen: true })
  client.pipe(gate).pipe(client)
  client.on('error', () => gate.destroy())
  gate.on('error', () => client.destroy())
})
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${token}`
  const fill = (text: string) => text.replaceAll('{modelUrl}', url)
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, fill(value ?? '')]))
  const [program = '', ...args] = command.map(fill)
  const child = spawn(program, args, { env, stdio: 'inherit' })
  child.on('error', error => {
    console.error(error.message)
    process.exit((error as NodeJS.ErrnoException).code === 'ENOENT' ? 127 : 126)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
})

import { type ChildProcess, spawn } from 'node:child_process'

/** Starts a program behind a shell that ends it when this process has ended, however it ended. Returns the shell. */
export function runUntilEnd(program: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  // Ctrl-C reaches all processes of a terminal. Many programs ignore it in the background, so the shell must outlive it.
  const script = `trap '' INT HUP; "$0" "$@" & program=$!; read -r _; kill -TERM $program; wait $program`
  return spawn('/bin/sh', ['-c', script, program, ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, ...env },
  })
}

/** Ends the program of `runUntilEnd`. */
export function end(shell: ChildProcess): Promise<void> {
  return new Promise(done => {
    if (shell.exitCode !== null || shell.signalCode !== null) return done()
    shell.once('exit', () => done())
    shell.stdin?.end()
  })
}

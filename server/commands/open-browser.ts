import { spawn } from 'node:child_process'

/** The program and the environment that decide whether a person sits in front of a browser. */
interface Seat {
  platform: NodeJS.Platform
  env: NodeJS.ProcessEnv
  /** Whether the output goes to a terminal. */
  isTerminal: boolean
}

/** Returns the command that opens an address in the person's browser; null if there is no terminal, no screen, or only a build. */
export function findOpener({ platform, env, isTerminal }: Seat): [program: string, ...args: string[]] | null {
  if (!isTerminal || env.CI || env.SSH_CONNECTION) return null
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null
}

/** Opens an address in the person's browser, if there is one. Never fails, because the address is printed too. */
export function openInBrowser(address: string, seat: Seat): void {
  const [program, ...args] = findOpener(seat) ?? []
  if (program === undefined) return
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true, env: seat.env })
  child.on('error', () => {})
  child.unref()
}

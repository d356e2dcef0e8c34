import { spawn } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { escapeHtml } from '../docs/escape-html.ts'

/** The environment that decides whether a person sits in front of a browser. */
interface Seat {
  platform: NodeJS.Platform
  env: NodeJS.ProcessEnv
  /** Whether the output goes to a terminal. */
  isTerminal: boolean
}

/** How long the file with the address stays. */
const fileMs = 30_000

/** Returns the command that opens a file in the person's browser; null if there is no terminal, no screen, or only a build. */
export function findOpener({ platform, env, isTerminal }: Seat): [program: string, ...args: string[]] | null {
  if (!isTerminal || env.CI || env.SSH_CONNECTION) return null
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null
}

/**
 * Opens a secret address in the person's browser, if there is one. The browser gets a file that leads there, because other users of
 * the machine can read arguments. Never fails, because the address is printed too.
 *
 * @param file to write; it is removed after half a minute.
 */
export async function openInBrowser(address: string, file: string, seat: Seat): Promise<void> {
  const [program, ...args] = findOpener(seat) ?? []
  if (program === undefined) return
  try {
    await rm(file, { force: true })
    const page = `<!doctype html><meta http-equiv="refresh" content="0; url=${escapeHtml(address)}"><title>Quire</title>\n`
    await writeFile(file, page, { mode: 0o600, flag: 'wx' })
  } catch {
    return
  }
  const child = spawn(program, [...args, file], { stdio: 'ignore', detached: true, env: seat.env })
  child.on('error', () => {})
  child.unref()
  setTimeout(() => void rm(file, { force: true }).catch(() => {}), fileMs).unref()
}

/** Kills all processes of a group. */
export function killGroup(group: number): void {
  try {
    // Windows has no groups.
    process.kill(process.platform === 'win32' ? group : -group, 'SIGKILL')
  } catch {
    // All have ended.
  }
}

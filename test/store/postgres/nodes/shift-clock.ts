/** Sets the clock of this process: `Date.now()` is so many milliseconds ahead of the machine. */
export function shiftClock(byMs: number): void {
  const now = Date.now
  Date.now = () => now() + byMs
}

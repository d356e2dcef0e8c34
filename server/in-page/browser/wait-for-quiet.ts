/**
 * Resolves with true after `quietTurns` turns of the event loop without a change or an open timer. Resolves with false once
 * `maxMs` and `4 * quietTurns` turns have both passed. Counts turns, not time, because pages need longer on a busy machine.
 */
export default function waitForQuiet(quietTurns: number, maxMs: number): Promise<boolean> {
  const watch = window.__quireWatch
  const later = watch?.setTimeout ?? setTimeout
  const started = performance.now()
  return new Promise(resolve => {
    let turns = 0
    let allTurns = 0
    let change = watch?.lastChange
    const look = () => {
      const isBusy = document.readyState === 'loading' || (watch?.timers.size ?? 0) > 0 || watch?.lastChange !== change
      change = watch?.lastChange
      turns = isBusy ? 0 : turns + 1
      allTurns += 1
      if (turns >= quietTurns) resolve(true)
      else if (performance.now() - started >= maxMs && allTurns >= quietTurns * 4) resolve(false)
      else later(look, 12)
    }
    look()
  })
}

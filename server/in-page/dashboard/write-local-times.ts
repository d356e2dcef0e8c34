/** Writes the instants of a page in the reader's time zone. Their titles keep UTC. */
export function writeLocalTimes(root: ParentNode): void {
  const dateStyle = 'medium'
  const format = new Intl.DateTimeFormat(undefined, { dateStyle, timeStyle: 'short' })
  const withSeconds = new Intl.DateTimeFormat(undefined, { dateStyle, timeStyle: 'medium' })
  for (const element of root.querySelectorAll('time')) {
    const at = Date.parse(element.dateTime)
    if (Number.isNaN(at)) continue
    const local = element.hasAttribute('data-seconds') ? withSeconds : format
    element.textContent = element.hasAttribute('data-until') ? countdown(at - Date.now()) : local.format(at)
  }
}

/** Keeps the countdowns of the page running. */
export function runCountdowns(): void {
  setInterval(() => {
    for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-until]')) {
      const text = countdown(Date.parse(element.dateTime) - Date.now())
      if (element.textContent !== text) element.textContent = text
    }
  }, 1000)
}

/** Says how long it is until an instant. */
function countdown(ms: number): string {
  if (ms <= 0) return 'expired'
  const seconds = Math.floor(ms / 1000)
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  if (hours > 0) return `in ${hours} h ${minutes} min`
  return minutes > 0 ? `in ${minutes} min ${seconds % 60} s` : `in ${seconds} s`
}

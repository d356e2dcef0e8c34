/** Says how long something takes, in two units at most, such as `3 min 20 s`. */
export function describeDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (ms > 0 && seconds < 1) return 'under 1 s'
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return join(`${minutes} min`, seconds % 60, 's')
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? join(`${hours} h`, minutes % 60, 'min') : join(`${Math.floor(hours / 24)} d`, hours % 24, 'h')
}

function join(large: string, small: number, unit: string): string {
  return small === 0 ? large : `${large} ${small} ${unit}`
}

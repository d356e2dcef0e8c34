/** Each is repeated to a text of 3 MB. Together they begin, and never end, what our parsers look for. */
export const fragments = [
  ...['\t', ' ', '\n', '\r\n', '\u0000', 'a', '0', 'é', '%41', '-', '.', '/', '../', ',', ';', ':', '=', 'a=', '|'],
  ...['"', "'", '`', '\\', '(', '[', '{', '${', '{"a":', '[0,'],
  ...['<', '<a ', '<!--', '<svg', ']]>', '&amp', '//from\t', '/*', '*/', 'import(', 'from"'],
  ...['url(L', '@font-face{', '--x', 'data:,', 'bytes=0-,', 'a, ', '"a" ', '-\t', '0 - 0\t'],
]

export interface Growth {
  fragment: string
  /** The length of the longer of two texts, in characters. */
  length: number
  milliseconds: number
  /** How many times longer it took than the text of a quarter of the length. */
  times: number
}

/** A fourfold text may take this many times as long: 4 is linear, 16 quadratic. */
const maxTimes = 6
/** Shorter times count as this: below it, compilation and garbage collection weigh more than the parser. */
const floorMilliseconds = 15
/** The first texts are short, because a cubic parser would not return from the longest. */
const lengths = [188, 750, 3_000, 12_000, 47_000, 188_000, 750_000, 3_000_000]

/** Lists the fragments for which the time of a parser grows more than linearly with texts of at most `maxLength` characters. */
export async function measureGrowth(
  parse: (text: string) => unknown,
  of = fragments,
  maxLength = 3_000_000,
): Promise<Growth[]> {
  const growths: Growth[] = []
  for (const fragment of of) {
    const growth = await findGrowth(parse, fragment, maxLength)
    if (growth) growths.push(growth)
  }
  return growths
}

async function findGrowth(
  parse: (text: string) => unknown,
  fragment: string,
  maxLength: number,
): Promise<Growth | undefined> {
  let text = ''
  let milliseconds = 0
  for (const length of lengths.filter(length => length <= maxLength)) {
    const shorter = { text, milliseconds }
    text = fragment.repeat(Math.ceil(length / fragment.length))
    milliseconds = await measure(parse, text)
    if (shorter.text === '') continue
    const times = () => milliseconds / Math.max(shorter.milliseconds, floorMilliseconds)
    // Garbage collection can delay a measurement: the shortest of four counts. It does not delay it by seconds.
    for (let repeats = 0; repeats < 3 && times() > maxTimes && milliseconds < 2_000; repeats++) {
      milliseconds = Math.min(milliseconds, await measure(parse, text))
      if (times() > maxTimes) shorter.milliseconds = Math.max(shorter.milliseconds, await measure(parse, shorter.text))
    }
    if (times() > maxTimes) return { fragment, length: text.length, milliseconds, times: times() }
  }
  return undefined
}

/** Returns the CPU time of this thread, because other programs delay the clock on the wall. */
async function measure(parse: (text: string) => unknown, text: string): Promise<number> {
  const before = process.threadCpuUsage()
  try {
    await parse(text)
  } catch {
    // A parser may refuse the text.
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

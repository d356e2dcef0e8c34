// Loaded with `node --import`: sets the clock of a process ahead of the machine by TEST_CLOCK_SHIFT_MS.
const shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS)
const RealDate = Date

class ShiftedDate extends RealDate {
  constructor(...given: [] | [number]) {
    if (given.length === 0) super(ShiftedDate.now())
    else super(...given)
  }

  static override now(): number {
    return RealDate.now() + shiftMs
  }
}

globalThis.Date = ShiftedDate as DateConstructor

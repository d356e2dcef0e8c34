export const leaseMs = 1000
/** How long a runner works on a job. */
export const workMs = 200
/** How far the clocks of two nodes are apart. */
export const shiftMs = 10 * 60_000

import type { FollowOptions } from './follow-log.ts'

type Visits = FollowOptions['visits']

/** Returns visits that can be read but records nothing, for a run that only judges the lines. */
export function withoutRecording(visits: Visits): Visits {
  return {
    findLogPosition: (projectId, log) => visits.findLogPosition(projectId, log),
    openVisitorKey: () => visits.openVisitorKey(),
    openVisitorKeys: now => visits.openVisitorKeys(now),
    recordBatch: () => ({ newVisitorDays: 0, tooOldViews: 0 }),
    recordLogPosition() {},
  }
}

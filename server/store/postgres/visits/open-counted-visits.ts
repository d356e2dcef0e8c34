import type { CountedVisits } from '../../visits/counted-visits.ts'
import { connect } from '../database.ts'
import { openVisitReader } from './visit-reader.ts'

/** Opens the visits of a database to count them in another thread, which ends without closing it. */
export function openCountedVisits(url: string): CountedVisits {
  return openVisitReader(connect(url))
}

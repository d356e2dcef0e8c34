import { wrongAnswers, wrongKeys } from './wrong-answers.ts'
import { wrongExports, wrongLinks, wrongVisitors } from './wrong-rules.ts'
import type { WrongServer } from './wrong-server.ts'

/** Lists servers that are wrong in one way, each with a new state. */
export function listWrongServers(): WrongServer[] {
  return [...wrongAnswers(), ...wrongKeys(), ...wrongVisitors(), ...wrongExports(), ...wrongLinks()]
}

import { OperatorError } from '../base/operator-error.ts'

/** The stored visits of a project are missing, empty or damaged. The message is for the operator, not for clients. */
export class UnusableVisitsError extends OperatorError {}

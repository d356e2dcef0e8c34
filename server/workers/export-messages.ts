import type { Crowd, ExportProgress, ExportResult, ExportTask } from '../export/model/options.ts'

// The messages between a server and the process of an export, as JSON.

export type ToExport = { task: ExportTask } | { crowd: Crowd } | { stop: string }

export type FromExport =
  /** Resident memory of the process in bytes; 0 = it has just started. */
  | { beat: number }
  | { progress: ExportProgress }
  | { log: { level: 'log' | 'warn'; details: object; message: string } }
  | { result: ExportResult }
  | { error: SentError }

/** What the thread of `export-watch.ts` starts with. */
export interface WatchSetup {
  /** The id of the process that started the export. */
  parent: number
  memoryBytes: number
}

/** What the thread writes to the standard error before it ends the process. */
export const overMemory = 'quire: over the memory limit'

/** An error with all its causes. */
export interface SentError {
  message: string
  isExportError: boolean
  stack?: string
  code?: string
  cause?: SentError
}

/** A program that speaks the Agent Client Protocol over its standard input and output. */
export interface Agent {
  name: string
  /** The program and its arguments. `{work}`, `{home}`, `{model}` and `{modelUrl}` are replaced. */
  command: readonly string[]
  /** The environment of the program, with the same replacements. It has no other variables than these, PATH, HOME, LANG and TMPDIR. */
  env: Readonly<Record<string, string>>
  /** Shown on its jobs. */
  model: string
  /** Files and folders that the program reads besides /usr. */
  files: readonly string[]
  /** The mode of its sessions, by the id that the agent gave it; undefined = the one in which they begin. */
  mode?: string
}

/** Where the model of the agents answers. Only the gate knows the key. */
export interface ModelEndpoint {
  /** Without a trailing slash, such as `https://models.example/v1`. */
  url: string
  key: string | undefined
}

/** How the programs of agents and checks are confined. */
export type Confinement =
  | { kind: 'bubblewrap'; program: string }
  /**
   * A command such as `podman run …`, which the program of the agent follows. `{work}`, `{home}` and `{socket}` are replaced. It must
   * give the program these at the same paths, its files, the environment, and the standard streams, and end it on SIGTERM. Arguments
   * with `{socket}` are left out for a program that needs no model.
   */
  | { kind: 'command'; command: readonly string[] }
  | { kind: 'none' }

/** What one job may use. */
export interface RunLimits {
  timeoutMs: number
  memoryBytes: number
  processes: number
  /** Bytes of files that the job writes, and of each of them. */
  diskBytes: number
  /** Bytes of events and of other output of the agent. */
  outputBytes: number
  events: number
  modelCalls: number
  changedFiles: number
  changedLines: number
  /** The largest changed file. */
  fileBytes: number
}

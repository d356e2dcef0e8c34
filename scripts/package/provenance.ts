import { createHash } from 'node:crypto'

/** What a tarball was made from. */
export interface PackedFrom {
  name: string
  version: string
  tarball: Buffer
  /** The 40 hex digits of the commit. */
  commit: string
  /** Address of the repository; null = it is not known. */
  repository: string | null
  startedAt: Date
  finishedAt: Date
}

/** Describes where a tarball comes from, as an in-toto statement with SLSA provenance 1.0. It is not signed. */
export function describeProvenance({ name, version, tarball, commit, repository, startedAt, finishedAt }: PackedFrom) {
  const sha512 = createHash('sha512').update(tarball).digest('hex')
  return describeBuild({
    kind: 'pack-spec',
    command: 'npm run pack:spec',
    subject: [{ name: `pkg:npm/${name}@${version}`, digest: { sha512 } }],
    commit,
    repository,
    metadata: { startedOn: startedAt.toISOString(), finishedOn: finishedAt.toISOString() },
  })
}

/** What a command made, and from what. */
export interface Build extends Pick<PackedFrom, 'commit' | 'repository'> {
  kind: string
  command: string
  /** The files, with their digests in hex. */
  subject: readonly { name: string; digest: Record<string, string> }[]
  /** Left out where the same sources must give the same bytes. */
  metadata?: { startedOn: string; finishedOn: string }
}

/** Describes where files come from, as `describeProvenance` does. */
export function describeBuild({ kind, command, subject, commit, repository, metadata }: Build) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `urn:quire:${kind}:1`,
        externalParameters: { command },
        internalParameters: { node: process.version },
        resolvedDependencies: [{ uri: `git+${repository ?? 'urn:quire:unknown'}`, digest: { gitCommit: commit } }],
      },
      runDetails: {
        // Level 1 of SLSA: nothing proves on which machine it ran.
        builder: { id: 'urn:quire:unsigned-local-build' },
        ...(metadata ? { metadata } : {}),
      },
    },
  }
}

import { createHash } from 'node:crypto'

/** What a tarball was made from. */
export interface PackedFrom {
  name: string
  version: string
  tarball: Buffer
  /** The 40 hex digits of the commit. */
  commit: string
  /** Address of the repository; null = it has no remote. */
  repository: string | null
  startedAt: Date
  finishedAt: Date
}

/** Describes where a tarball comes from, as an in-toto statement with SLSA provenance 1.0. It is not signed. */
export function describeProvenance({ name, version, tarball, commit, repository, startedAt, finishedAt }: PackedFrom) {
  const sha512 = createHash('sha512').update(tarball).digest('hex')
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: `pkg:npm/${name}@${version}`, digest: { sha512 } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:quire:pack-spec:1',
        externalParameters: { command: 'npm run pack:spec' },
        internalParameters: { node: process.version },
        resolvedDependencies: [{ uri: `git+${repository ?? 'urn:quire:unknown'}`, digest: { gitCommit: commit } }],
      },
      runDetails: {
        // Level 1 of SLSA: nothing proves on which machine it ran.
        builder: { id: 'urn:quire:unsigned-local-build' },
        metadata: { startedOn: startedAt.toISOString(), finishedOn: finishedAt.toISOString() },
      },
    },
  }
}

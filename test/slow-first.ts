import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take longest, slowest first. If they began last, one worker would end the run alone. Vitest knows their times only
 * from a run before, which a new clone has not had.
 */
export const slowFiles: readonly string[] = [
  'test/deployment/images.long.test.ts',
  'test/package/release.long.test.ts',
  'test/export/archive/large-zip.long.test.ts',
  'test/e2e/resume.long.test.ts',
  'test/e2e/import-kill.long.test.ts',
  'test/export/verify/planted-faults.long.test.ts',
  'test/e2e/follow.long.test.ts',
  'test/store/random-visits.long.test.ts',
  'test/package/conformance/conformance.long.test.ts',
  'test/e2e/nodes.long.test.ts',
  'test/package/quire-spec.long.test.ts',
  'test/e2e/graceful-shutdown.long.test.ts',
  'test/e2e/backup.long.test.ts',
  'test/e2e/python-docs.long.test.ts',
  'test/hostile/crashing-pages.long.test.ts',
  'test/commands/help-examples.long.test.ts',
  'test/contract/other-generators.long.test.ts',
  'test/e2e/kill.long.test.ts',
  'test/store/postgres/nodes/nodes.long.test.ts',
  'test/bench/export/judge.long.test.ts',
  'test/e2e/export-over-api.long.test.ts',
  'test/export/verify/site-search.long.test.ts',
  'test/e2e/postgres-restart.long.test.ts',
  'test/package/quire.long.test.ts',
  'test/docs/pages-in-browser.long.test.ts',
  'test/store/s3/s3-memory.long.test.ts',
  'test/hostile/slow-sites.long.test.ts',
  'test/hostile/target-pages.long.test.ts',
  'test/host/kill.long.test.ts',
  'test/package/binary.long.test.ts',
  'test/dashboard/dashboard-in-browser.slow.test.ts',
  'test/export/verify/site-search.slow.test.ts',
  'test/web/browser/renderer.slow.test.ts',
  'test/store/postgres/limits.test.ts',
  'test/dashboard/live-parts-in-browser.slow.test.ts',
  'test/dashboard/exports-in-browser.slow.test.ts',
  'test/commands/demo.slow.test.ts',
  'test/commands/visits-import.slow.test.ts',
  'test/http/bundle-downloads.test.ts',
  'test/contract/generate.slow.test.ts',
  'test/store/s3/presigned-links.test.ts',
  'test/e2e/follow-serve.slow.test.ts',
  'test/store/s3/s3-bundles.test.ts',
  'test/store/s3/s3-orphans.test.ts',
  'test/dashboard/visitors-in-browser.slow.test.ts',
  'test/commands/commands.slow.test.ts',
  'test/store/postgres/postgres-commands.test.ts',
  'test/e2e/two-versions.test.ts',
  'test/export/check/check-bundle.slow.test.ts',
  'test/store/s3/s3-commands.test.ts',
  'test/commands/json-flags.slow.test.ts',
  'test/export/runtime/packed-files.slow.test.ts',
  'test/deployment/proxied-servers.test.ts',
  'test/export/jobs/runner-slots.slow.test.ts',
  'test/store/s3/s3-disconnects.test.ts',
  'test/e2e/roles.test.ts',
  'test/mock/page.slow.test.ts',
]

/** Starts the slow files first, and the others in the order of vitest; on each day, with another of those that run alone. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    const others = await super.sort(files)
    const day = Math.floor(Date.now() / 86_400_000)
    return sortSlowFirst(rotate(others, day), ({ moduleId }) => relative(root, moduleId).replaceAll('\\', '/'))
  }
}

/** Lets the list begin with another element for each number, so that a run that ends early leaves out other files each time. */
export function rotate<T>(list: readonly T[], by: number): T[] {
  const start = list.length === 0 ? 0 : by % list.length
  return [...list.slice(start), ...list.slice(0, start)]
}

/** @param toPath returns the path below the root of the project. */
export function sortSlowFirst<T>(files: readonly T[], toPath: (file: T) => string): T[] {
  const rankOf = (file: T) => {
    const rank = slowFiles.indexOf(toPath(file))
    return rank === -1 ? slowFiles.length : rank
  }
  return files.toSorted((a, b) => rankOf(a) - rankOf(b))
}

import { Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import type { BundleLinksKind, Config } from '../config.ts'
import { maxLinkTtlSeconds } from '../export/jobs/bundle-link.ts'
import type { S3Location } from '../store/s3/s3-location.ts'
import { integer } from './integer.ts'

/** The parsed flags of `linkOptions`, and what they need. */
export interface LinkFlags {
  linkTtlSeconds: number
  bundleLinks: BundleLinksKind
  bundles?: S3Location
}

/** The flags of bundle links. */
export function linkOptions(): Option[] {
  return [
    new Option('--link-ttl-seconds <number>', 'lifetime of a bundle link; at most 7 days')
      .env('QUIRE_LINK_TTL_SECONDS')
      .default(3600)
      .argParser(integer(1, maxLinkTtlSeconds)),
    new Option(
      '--bundle-links <kind>',
      'quire = bundle links lead to this server, presigned = to the S3-compatible storage of --bundles',
    )
      .env('QUIRE_BUNDLE_LINKS')
      .choices(['quire', 'presigned'])
      .default('quire'),
  ]
}

/** @throws {OperatorError} with exit code 2, if links cannot lead to where the bundles are. */
export function readLinks({
  linkTtlSeconds,
  bundleLinks,
  bundles,
}: LinkFlags): Pick<Config, 'linkTtlSeconds' | 'bundleLinks'> {
  if (bundleLinks === 'presigned' && !bundles) {
    throw new OperatorError(
      '--bundle-links presigned needs --bundles s3://...: links cannot lead to bundles in the data folder. Leave the flag out, or store the bundles in S3.',
      2,
    )
  }
  return { linkTtlSeconds, bundleLinks }
}

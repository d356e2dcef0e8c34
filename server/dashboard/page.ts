import type { ServerAddress } from '../operations/client.ts'
import type { Organization } from '../tenancy/organization.ts'
import type { Person } from '../tenancy/person.ts'
import type { Session } from '../tenancy/sign-in.ts'
import type { DashboardDeps } from './deps.ts'
import type { Markup } from './parts/html.ts'
import type { RecordChange } from './record-change.ts'
import type { Section } from './texts/frame.ts'
import type { notices } from './texts/notices.ts'

/** A request of a signed-in person for a page of one organization. */
export interface Visit {
  person: Person
  session: Session
  organization: Organization
  /** At most `maxOrganizations` + 1 of the organizations that the person may see. */
  organizations: readonly Organization[]
  /** Values of the placeholders in the path of the page. */
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** The fields of a submitted form; empty for a page that is only read. */
  form: URLSearchParams
  /** Proves that a form was filled in on a page of this session. */
  formToken: string
  /** Where the person reaches the server. */
  server: ServerAddress
  /** From where the person reaches the server. */
  ipAddress: string
  now: number
  /** Returns a relative link to a path below that of the organization, such as `/keys`. */
  link(path: string): string
  /** Makes a change of the person and appends its audit events, in one transaction. */
  record: RecordChange
}

/** What a page answers. */
export type Answer =
  | {
      title: string
      content: Markup
      status?: number /** Whether the page needs the chart library. */
      hasChart?: boolean
    }
  /** Leads to another page of the organization, which shows the notice. */
  | { leadTo: string; notice?: NoticeName }
  /** `sizeBytes` lets the browser show how much is left; absent = unknown. */
  | {
      download: { fileName: string; contentType: string; body: string | AsyncIterable<Uint8Array>; sizeBytes?: number }
    }

/** Something that was done, said at the top of the next page. The texts are in texts/notices.ts. */
export type NoticeName = keyof typeof notices

/** A page of an organization. */
export interface PageDefinition {
  /** The part of the navigation to which the page belongs; null = none. */
  section: Section | null
  /** Below the path of the organization: '' or such as `/exports/:jobId`. */
  path: string
  show(visit: Visit, deps: DashboardDeps): Promise<Answer>
  /** What the forms of the page do, by the last part of their path. */
  actions?: Readonly<Record<string, (visit: Visit, deps: DashboardDeps) => Promise<Answer>>>
}

/** The page, or the object that it is about, does not exist for this person. */
export class PageNotFound extends Error {}

/** The checks by name, with what a server does that passes. Names that Schemathesis has too mean the same there. */
export const checks = {
  not_a_server_error: 'No request gets a status of 500 or more, but for a documented 501.',
  response_completeness: 'Every answer arrives whole and within the timeout.',
  status_code_conformance: 'Every status is documented for its operation.',
  content_type_conformance: 'Every media type is documented for its status.',
  response_headers_conformance: 'The documented headers are there and have the documented form.',
  response_schema_conformance: 'Every body matches its schema.',
  negative_data_rejection: 'A request that breaks the document gets a 4xx.',
  positive_data_acceptance: 'A valid request is not refused as invalid.',
  missing_required_header: 'A request without Authorization gets 401, and a body without Content-Type gets 4xx.',
  ignored_auth: 'A request with a wrong key gets 401.',
  unsupported_method: 'A method that the document does not have gets 405 with Allow.',
  use_after_free: 'A bundle link stops working when it expires.',
  ensure_resource_availability: 'A job that was started can be read.',
  auth_before_validation: 'Without a valid key, a request gets 401, whatever else is wrong with it.',
  same_refusal: 'All 401 answers are the same.',
  undocumented_path: 'An unknown path gets 404 as JSON, without a redirect.',
  unknown_resource: 'An unknown id gets 404.',
  resource_isolation: 'What belongs to another organization gets the same answer as an unknown id.',
  request_id: 'X-Request-Id of the request is kept if it is safe, and replaced otherwise.',
  pagination: 'limit, offset and hasMore agree, and the order is stable.',
  date_range: 'dateTo is exclusive, and dates are days in UTC.',
  visitor_totals: 'A total is at least each of its kinds, and at most their sum.',
  csv_equals_json: 'The CSV has the same counts as the JSON.',
  conditional_request: 'If-None-Match gets 304 while the counts are the same.',
  rate_limit_headers: 'RateLimit and RateLimit-Policy state the documented budget, and what is left of it.',
  rate_limit_enforcement: 'The budget ends with 429.',
  idempotency: 'The same Idempotency-Key answers the same job, and is refused with another body.',
  export_progress: 'The status, progress and pageCount of a job never go back.',
  link_rules: 'A bundle link works without a key, is exact, and stops working when a byte of it is changed.',
} as const

export type CheckName = keyof typeof checks

export const checkNames = Object.keys(checks) as CheckName[]

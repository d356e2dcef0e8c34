#!/bin/sh
# Exports a site, waits for the export, and gives the link of its bundle to the deployment. For pipelines.
#
# API_URL        address of the API, such as https://api.example.com
# QUIRE_API_KEY  an admin API key with the scope write
# DOMAIN         the site, such as docs.example.com
# RELEASE        name of the Helm release
# CHART          path or address of this chart
# LABEL          version of the export; optional. The deployment then serves only this version.
# DEPLOYMENT     cloud, client-hosted or air-gapped; optional
# POLL_SECONDS   time between two looks at the export; 10 by default
#
# Needs curl, jq and helm. Further arguments go to helm upgrade, such as --namespace docs --values site.yaml.
set -eu
export DOMAIN LABEL="${LABEL:-}" DEPLOYMENT="${DEPLOYMENT:-}"
: "${API_URL:?}" "${QUIRE_API_KEY:?}" "${DOMAIN:?}" "${RELEASE:?}" "${CHART:?}"

# Sends a request and leaves its answer in $answer. The key is not in the arguments, which other users of the machine can read.
request() {
  method=$1 path=$2
  shift 2
  answer=$(printf 'header = "Authorization: Bearer %s"\n' "$QUIRE_API_KEY" |
    curl --silent --show-error --fail-with-body --retry 3 --max-time 60 --config - --request "$method" "$@" "$API_URL$path") || {
    printf '%s\n' "$answer" >&2
    exit 1
  }
}

# Prints a field of the last answer, or an expression of jq.
field() {
  printf '%s' "$answer" | jq --raw-output "$1"
}

body=$(jq --null-input --compact-output \
  '{domain: env.DOMAIN} + (if env.LABEL // "" == "" then {} else {version: env.LABEL} end)
    + (if env.DEPLOYMENT // "" == "" then {} else {deployment: env.DEPLOYMENT} end)')
# A repeated request gets the same job.
key="pipeline-$(date +%s)-$$"
request POST /v1/static-export/jobs --header 'Content-Type: application/json' --header "Idempotency-Key: $key" --data "$body"
job=$(field .jobId)
echo "Export $job of $DOMAIN"

# The server ends a job that takes longer than it may.
while :; do
  request GET "/v1/static-export/jobs/$job"
  field '"\(.status), \(.progress) %, \(.pageCount) pages"'
  case $(field .status) in
  completed) break ;;
  failed)
    field .error >&2
    exit 1
    ;;
  esac
  sleep "${POLL_SECONDS:-10}"
done

request POST "/v1/static-export/jobs/$job/bundle"
# The link is a secret too, so helm gets it through a pipe.
field '{staticExport: {enabled: true, bundleUrl: .bundleUrl, sha256: .sha256, version: (env.LABEL // "")}}' |
  helm upgrade "$RELEASE" "$CHART" --install --values - "$@"

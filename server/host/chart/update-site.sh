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
# POLL_SECONDS   time between two looks at the export; 10 by default, 60 looks at most
#
# Needs curl, jq and helm. Further arguments go to helm upgrade, such as --namespace docs --values site.yaml.
set -eu
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

body=$(jq --null-input --compact-output --arg domain "$DOMAIN" --arg version "${LABEL:-}" \
  --arg deployment "${DEPLOYMENT:-}" \
  '{domain: $domain} + (if $version == "" then {} else {version: $version} end)
    + (if $deployment == "" then {} else {deployment: $deployment} end)')
# A repeated request gets the same job.
key="pipeline-$(date +%s)-$$"
request POST /v1/static-export/jobs --header 'Content-Type: application/json' --header "Idempotency-Key: $key" --data "$body"
job=$(field .jobId)
echo "Export $job of $DOMAIN"

looks=0
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
  looks=$((looks + 1))
  if [ "$looks" -ge 60 ]; then
    echo "The export $job has not finished after $looks looks." >&2
    exit 1
  fi
  sleep "${POLL_SECONDS:-10}"
done

request POST "/v1/static-export/jobs/$job/bundle"
link=$(field .bundleUrl)
helm upgrade "$RELEASE" "$CHART" --install --set staticExport.enabled=true --set "staticExport.bundleUrl=$link" \
  --set-string "staticExport.version=${LABEL:-}" "$@"
